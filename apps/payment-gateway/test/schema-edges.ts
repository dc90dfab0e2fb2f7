export interface FieldSchema {
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: string[];
  properties?: Record<string, FieldSchema>;
  definitions?: Record<string, FieldSchema>;
}

/** Returns, for each field name, values on both sides of the limits in its schema. */
export function edgesOf({ properties = {}, definitions = {} }: FieldSchema): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const [name, { minLength, maxLength, minimum, maximum, enum: values = [] }] of Object.entries(properties))
    found[name] = [
      ...[minLength, maxLength].flatMap((length = 1) =>
        [length - 1, length, length + 1].map((count) => 'A'.repeat(Math.max(0, count))),
      ),
      ...[minimum, maximum].flatMap((limit = 0) => [limit - 1, limit, limit + 1]),
      ...values,
      ...values.map((value) => `${value}x`),
    ];
  for (const one of Object.values(definitions))
    for (const [name, values] of Object.entries(edgesOf(one))) found[name] = [...(found[name] ?? []), ...values];
  return found;
}
