import { expect, test } from 'vitest'
import { parseNatsAddress } from './address.ts'

test.each([
  ['one server', 'nats://a', { servers: ['a:4222'], isTls: false, fleet: 'main' }],
  ['several, with ports', 'nats://a:4222,b:4223,c', { servers: ['a:4222', 'b:4223', 'c:4222'] }],
  ['the scheme repeated before each server', 'nats://a,nats://b', { servers: ['a:4222', 'b:4222'] }],
  ['an address of version 6', 'nats://[::1]:4223', { servers: ['[::1]:4223'] }],
  ['encrypted', 'tls://nats.example.org', { isTls: true }],
  ['a user', 'nats://me:it%3Ais@a,b', { user: 'me', password: 'it:is', token: undefined, servers: ['a:4222', 'b:4222'] }],
  ['a token', 'nats://s3cr3t@a', { user: undefined, password: undefined, token: 's3cr3t' }],
  ['a fleet', 'nats://a,b/west-2', { fleet: 'west-2' }],
])('%s is read', (_name, text, expected) => {
  expect(parseNatsAddress(text)).toMatchObject(expected)
})

test.each([
  ['a scheme other than nats', 'http://a'],
  ['no server', 'nats://'],
  ['a server without a name', 'nats://a,,b'],
  ['a server twice', 'nats://a,a:4222'],
  ['an invalid port', 'nats://a:70000'],
  ['port 0', 'nats://a:0'],
  ['a space', 'nats://a b'],
  ['a password without a user', 'nats://:x@a'],
  ['a user without a password', 'nats://me:@a'],
  ['an invalid percent-encoding', 'nats://%zz@a'],
  ['a fleet with a dot, which would be two tokens of a subject', 'nats://a/x.y'],
  ['an empty fleet', 'nats://a/'],
])('%s is refused', (_name, text) => {
  expect(parseNatsAddress(text)).toBeUndefined()
})
