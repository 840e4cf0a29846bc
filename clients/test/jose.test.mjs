import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, errors, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { call, url } from './hub.mjs'

/** The keys of the hub as they are published now. */
const published = () => createRemoteJWKSet(new URL('/.well-known/jwks.json', url))

/** A new signed token of the administrator, with what the hub says about it. */
const issue = () => call('POST', '/tokens', { kind: 'jwt', label: 'jose', scopes: ['messages:read', 'channels:read'] })

/** What a careful reader expects of every token of this hub. */
function expected(secret) {
  const { iss } = decodeJwt(secret)
  return { algorithms: ['EdDSA'], typ: 'at+jwt', issuer: iss, audience: iss, requiredClaims: ['exp', 'iat', 'jti', 'sub'] }
}

test('a token of the hub is verified by the keys that the hub publishes', async () => {
  const { secret, id, member_id: member } = await issue()
  const { payload, protectedHeader } = await jwtVerify(secret, published(), expected(secret))
  assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ'])
  assert.equal(payload.jti, id)
  assert.equal(payload.sub, member)
  assert.equal(payload.scope, 'messages:read channels:read')
  assert.match(payload.iss, /^urn:parlour:[0-9a-f]{32}$/)
})

test('after a new key the older tokens are verified too', async () => {
  const older = await issue()
  const { kid } = await call('POST', '/keys/rotate')
  const newer = await issue()
  assert.notEqual(decodeProtectedHeader(older.secret).kid, kid)
  assert.equal(decodeProtectedHeader(newer.secret).kid, kid)
  for (const { secret } of [older, newer]) {
    await jwtVerify(secret, published(), expected(secret))
    assert.ok((await call('GET', '/me', undefined, secret)).member_id)
  }
})

test('a token that somebody else has signed is believed by neither', async () => {
  const { secret } = await issue()
  const { privateKey } = await generateKeyPair('EdDSA')
  const forged = await new SignJWT(decodeJwt(secret)).setProtectedHeader(decodeProtectedHeader(secret)).sign(privateKey)
  await assert.rejects(jwtVerify(forged, published(), expected(secret)), errors.JWSSignatureVerificationFailed)
  const answer = await fetch(`${url}/me`, { headers: { authorization: `Bearer ${forged}` } })
  assert.equal(answer.status, 401)
})
