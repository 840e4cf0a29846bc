import { expect, test } from 'vitest';
import { buildValue, fieldsOf, fieldValuesOf } from './schema_fields';

const RELEASE = {
  type: 'object',
  required: ['version', 'count'],
  properties: {
    version: { type: 'string', title: 'Version', description: 'As in the tag.' },
    count: { type: 'integer' },
    share: { type: 'number' },
    isFinal: { type: 'boolean' },
    channel: { enum: ['beta', 'stable'] },
  },
};
const fields = fieldsOf(RELEASE) ?? [];

test('a simple object is a few fields', () => {
  expect(fields.map(({ name, kind, isRequired }) => `${name} ${kind}${isRequired ? ' needed' : ''}`)).toEqual([
    'version text needed',
    'count integer needed',
    'share number',
    'isFinal boolean',
    'channel choice',
  ]);
  expect(fields[0]).toMatchObject({ label: 'Version', hint: 'As in the tag.' });
});

test.each([
  ['a text', { type: 'string' }, 'text'],
  ['one of a few', { enum: ['yes', 'no'] }, 'choice'],
  ['a number', { type: 'integer', minimum: 1 }, 'integer'],
])('%s is one field', (_, schema, kind) => expect(fieldsOf(schema)).toMatchObject([{ name: '', kind }]));

test.each([
  ['a list', { type: 'array', items: { type: 'string' } }],
  ['an object in an object', { type: 'object', properties: { a: { type: 'object' } } }],
  ['an object of anything', { type: 'object' }],
  ['one that depends', { type: 'object', properties: { a: { type: 'string' } }, oneOf: [] }],
  ['one that refers', { $ref: '#/$defs/a' }],
  ['several types', { type: ['string', 'null'] }],
  ['values of all sorts', { enum: ['a', null] }],
])('%s needs JSON', (_, schema) => expect(fieldsOf(schema)).toBeUndefined());

test('typed values become the answer; empty optional fields are left out', () => {
  const typed = { version: ' 0.4 ', count: '3', share: '', isFinal: 'false', channel: 'beta' };
  expect(buildValue(fields, typed)).toEqual({
    value: { version: '0.4', count: 3, isFinal: false, channel: 'beta' },
  });
  expect(buildValue(fieldsOf({ type: 'number' }) ?? [], { '': '1.5' })).toEqual({ value: 1.5 });
});

test('missing or unreadable values are reported at their field', () => {
  expect(buildValue(fields, { count: '3' })).toEqual({ field: 'version', problem: 'Required.' });
  expect(buildValue(fields, { version: '1', count: '1.5' })).toEqual({
    field: 'count',
    problem: 'Enter a whole number.',
  });
  expect(buildValue(fields, { version: '1', count: '1', channel: 'x' })).toMatchObject({ field: 'channel' });
});

test('a value fills the fields, and comes back as it was', () => {
  const value = { version: '0.4', count: 3, share: 0.5, isFinal: true, channel: 'stable' };
  expect(buildValue(fields, fieldValuesOf(fields, value))).toEqual({ value });
});
