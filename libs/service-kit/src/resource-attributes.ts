/** Attributes of the sender in spans, by name, such as `deployment.environment.name`. */
export type ResourceAttributes = Readonly<Record<string, string>>;

/** Reads OTEL_RESOURCE_ATTRIBUTES: `name=value`, comma-separated; names and values are percent-encoded. */
export function readResourceAttributes(text: string): ResourceAttributes {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [name = '', value, ...more] = pair.split('=').map((part) => part.trim());
      if (!name || value === undefined || more.length > 0)
        throw new Error('has an entry that is not name=value. Separate entries by single commas');
      return [decoded(name), decoded(value)];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new Error('has a % that begins no encoded character: write it as %25', { cause: error });
  }
}
