import { expect, it } from 'vitest';
import { decodeEntities } from './entities';

it.each([
  ['&lt;&gt;&amp;&quot;', '<>&"'],
  ['&amp;lt;', '&lt;'],
  ['&#65;&#x41;&#X41;', 'AAA'],
  ['&#0;&#xD800;&#1114112;', '\ufffd\ufffd\ufffd'],
  ['&#128512;', '😀'],
  ['&unknown; &constructor; &__proto__; &toString;', '&unknown; &constructor; &__proto__; &toString;'],
  ['a & b &; &lt', 'a & b &; &lt'],
])('decodes %j as %j', (text, decoded) => {
  expect(decodeEntities(text)).toBe(decoded);
});
