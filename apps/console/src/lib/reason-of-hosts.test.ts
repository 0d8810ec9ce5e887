import { expect, test } from 'vitest'
import { reasonOfHosts } from './reason-of-hosts.ts'

test.each([
  [1, 'The host is MAINTENANCE.', 'The host is MAINTENANCE.'],
  [18, 'The host is MAINTENANCE.', 'for example: The host is MAINTENANCE.'],
])('the reason is an example only for several hosts (%i)', (hosts, text, sentence) => expect(reasonOfHosts({ hosts, text })).toBe(sentence))
