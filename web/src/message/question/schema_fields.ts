/** Converts a simple JSON Schema to form fields. The hub validates the answer in full. Pure. */

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice';

export interface SchemaField {
  /** The property name; empty when the answer is this one value. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly values?: readonly (string | number)[];
}

/** Values typed into the fields, by name; a boolean is `true`, `false` or empty. */
export type FieldValues = Readonly<Record<string, string>>;

export type BuildResult = { readonly value: unknown } | { readonly field: string; readonly problem: string };

/** Larger schemas are edited as JSON. */
const FIELDS_MAX = 12;

type Json = Record<string, unknown>;

/** Returns the fields of a schema; undefined when it needs JSON. */
export function fieldsOf(schema: Json): readonly SchemaField[] | undefined {
  const alone = fieldOf('', schema, true);
  if (alone) return [alone];
  if (schema.type !== 'object' || !isObject(schema.properties) || hasRules(schema)) return undefined;
  const { properties } = schema;
  const required = (Array.isArray(schema.required) ? schema.required : []).filter((name) => name in properties);
  // Properties have no order; required ones come first.
  const names = new Set<string>([...required, ...Object.keys(properties)]);
  const fields = [...names].map((name) => {
    const inner = properties[name];
    return isObject(inner) ? fieldOf(name, inner, required.includes(name)) : undefined;
  });
  const isSimple = fields.length > 0 && fields.length <= FIELDS_MAX && fields.every((field) => field !== undefined);
  return isSimple ? (fields as SchemaField[]) : undefined;
}

/** Builds the answer. Only unreadable values are reported here. */
export function buildValue(fields: readonly SchemaField[], typed: FieldValues): BuildResult {
  const value: Json = {};
  for (const field of fields) {
    const read = readField(field, (typed[field.name] ?? '').trim());
    if (read === 'missing') {
      if (field.isRequired) return { field: field.name, problem: 'Required.' };
    } else if (read === 'unreadable') return { field: field.name, problem: problemOf(field.kind) };
    else if (field.name === '') return { value: read.value };
    else value[field.name] = read.value;
  }
  return { value };
}

/** Returns field values for a given answer. */
export function fieldValuesOf(fields: readonly SchemaField[], value: unknown): FieldValues {
  const text = (one: unknown) => (one === undefined || one === null ? '' : String(one));
  return Object.fromEntries(
    fields.map(({ name }) => [name, text(name === '' ? value : isObject(value) ? value[name] : undefined)]),
  );
}

function fieldOf(name: string, schema: Json, isRequired: boolean): SchemaField | undefined {
  const label = typeof schema.title === 'string' && schema.title !== '' ? schema.title : name || 'Your answer';
  const hint = typeof schema.description === 'string' ? { hint: schema.description } : {};
  const base = { name, label, isRequired, ...hint };
  if (hasRules(schema)) return undefined;
  if (Array.isArray(schema.enum)) {
    const values = schema.enum.filter((one): one is string | number => ['string', 'number'].includes(typeof one));
    return values.length > 0 && values.length === schema.enum.length ? { ...base, kind: 'choice', values } : undefined;
  }
  switch (schema.type) {
    case 'string':
      return { ...base, kind: 'text' };
    case 'number':
    case 'integer':
    case 'boolean':
      return { ...base, kind: schema.type };
    default:
      return undefined;
  }
}

/** Schemas with dependencies between fields cannot be shown as fields. */
function hasRules(schema: Json): boolean {
  return ['oneOf', 'anyOf', 'allOf', 'not', 'if', '$ref', 'const', 'patternProperties'].some((rule) => rule in schema);
}

type Read = { readonly value: unknown } | 'missing' | 'unreadable';

function readField({ kind, values }: SchemaField, text: string): Read {
  if (text === '') return 'missing';
  if (kind === 'text') return { value: text };
  if (kind === 'boolean') return { value: text === 'true' };
  if (kind === 'choice') {
    const chosen = values?.find((one) => String(one) === text);
    return chosen === undefined ? 'unreadable' : { value: chosen };
  }
  const number = Number(text);
  const isRead = Number.isFinite(number) && (kind === 'number' || Number.isInteger(number));
  return isRead ? { value: number } : 'unreadable';
}

function problemOf(kind: FieldKind): string {
  return kind === 'integer' ? 'Enter a whole number.' : kind === 'number' ? 'Enter a number.' : 'Choose one of these.';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined when it is not valid. */
export function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
