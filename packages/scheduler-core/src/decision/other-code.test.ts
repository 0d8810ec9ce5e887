import { expect, test } from 'vitest'
import { definePlugin } from '../contracts/plugin.ts'
import { gatherPlugins } from '../contracts/plugins.ts'
import { CORE_VERSION } from '../values/version.ts'
import { otherCode } from './other-code.ts'

const here = gatherPlugins([definePlugin({ name: 'rack', version: '2.0.0', description: 'Racks.' })])

test.each<[string, Parameters<typeof otherCode>[0], string | undefined]>([
  ['the same release', { core: CORE_VERSION }, undefined],
  ['the same version of a plug-in', { core: CORE_VERSION, plugins: [{ name: 'rack', version: '2.0.0' }] }, undefined],
  ['a release other than that of this replica', { core: '0.0.9' }, `by release 0.0.9; this is ${CORE_VERSION}`],
  [
    'a version of a plug-in other than that of this replica',
    { core: CORE_VERSION, plugins: [{ name: 'rack', version: '1.0.0' }] },
    'with plug-in rack 1.0.0; this replica has version 2.0.0',
  ],
  [
    'a plug-in that is not loaded',
    { core: CORE_VERSION, plugins: [{ name: 'gold', version: '1.0.0' }] },
    'with plug-in gold 1.0.0; this replica has not loaded it',
  ],
])('otherCode names the other version that decided: %s', (_name, record, text) => expect(otherCode(record, here)).toBe(text))
