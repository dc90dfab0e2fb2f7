export interface FieldSchema {
  $ref?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: string[];
  properties?: Record<string, FieldSchema>;
  $defs?: Record<string, FieldSchema>;
}

/** Returns, for each field name, values on both sides of the limits in its schema. */
export function edgesOf({ properties = {}, $defs = {} }: FieldSchema, shared = $defs): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const [name, rule] of Object.entries(properties)) {
    const {
      minLength,
      maxLength,
      minimum,
      maximum,
      enum: values = [],
    } = shared[rule.$ref?.slice('#/$defs/'.length) ?? ''] ?? rule;
    found[name] = [
      ...[minLength, maxLength].flatMap((length = 1) =>
        [length - 1, length, length + 1].map((count) => 'A'.repeat(Math.max(0, count))),
      ),
      ...[minimum, maximum].flatMap((limit = 0) => [limit - 1, limit, limit + 1]),
      ...values,
      ...values.map((value) => `${value}x`),
    ];
  }
  for (const one of Object.values($defs))
    for (const [name, values] of Object.entries(edgesOf(one, shared)))
      found[name] = [...(found[name] ?? []), ...values];
  return found;
}
