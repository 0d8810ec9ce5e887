import { expect, test } from 'vitest'
import type { NovaImage } from '../objects/request.ts'
import { type Given, reasonOf, verdictOf } from '../testing/judge.ts'
import { isolatedHostsFilter } from './isolated-hosts.ts'

const image = (id: string | undefined): { image: NovaImage } => ({ image: { id, minRam: 0, minDisk: 0, properties: {} } })
const isolation = { isolated_hosts: ['h1'], isolated_images: ['i1'] }
const lax = { ...isolation, restrict_isolated_hosts_to_isolated_images: false }
const other = { host: 'h2' }

test.each<[string, Given, string]>([
  ['nothing isolated', {}, 'passes'],
  ['isolated image, isolated host', { request: image('i1'), options: isolation }, 'passes'],
  ['isolated image, other host', { request: image('i1'), host: other, options: isolation }, 'isolation.image'],
  ['other image, isolated host', { request: image('i2'), options: isolation }, 'isolation.host'],
  ['other image, other host', { request: image('i2'), host: other, options: isolation }, 'passes'],
  ['other image, isolated host, without restriction', { request: image('i2'), options: lax }, 'passes'],
  ['isolated image, other host, without restriction', { request: image('i1'), host: other, options: lax }, 'isolation.image'],
  ['a request without an image is not isolated', { options: isolation }, 'isolation.host'],
  ['an image without id is not isolated', { request: image(undefined), options: isolation }, 'isolation.host'],
  ['A16 LP 1746483: booted from a volume, without an image, on another host', { host: other, options: isolation }, 'passes'],
  [
    'A16 LP 1746483: booted from a volume, an image without id, on another host',
    { request: image(undefined), host: other, options: isolation },
    'passes',
  ],
  [
    'A16 LP 1746483: booted from a volume, the image is null, on another host',
    { request: { image: null }, host: other, options: isolation },
    'passes',
  ],
  ['no isolated images: isolated hosts refuse images', { request: image('i1'), options: { isolated_hosts: ['h1'] } }, 'isolation.host'],
  [
    'no isolated hosts: isolated images are refused everywhere',
    { request: image('i1'), options: { isolated_images: ['i1'] } },
    'isolation.image',
  ],
  ['capitals matter', { request: image('i1'), host: { host: 'H1' }, options: isolation }, 'isolation.image'],
  [
    'the filter also checks a rebuild',
    { request: { ...image('i2'), schedulerHints: { _nova_check_type: ['rebuild'] } }, options: isolation },
    'isolation.host',
  ],
  ['hints that are null do not matter', { request: { ...image('i1'), schedulerHints: null }, options: isolation }, 'passes'],
])('%s', (_name, given, verdict) => expect(verdictOf(isolatedHostsFilter, given)).toBe(verdict))

test('the reason of a refusal names the host and the image', () => {
  const away = { subject: 'host', need: 'h1', have: 'h2', source: 'option isolated_images' }
  expect(reasonOf(isolatedHostsFilter, { request: image('i1'), host: other, options: isolation })).toMatchObject(away)
  const kept = { subject: 'image', need: 'i1', have: 'none', source: 'option isolated_hosts' }
  expect(reasonOf(isolatedHostsFilter, { options: isolation })).toMatchObject(kept)
})
