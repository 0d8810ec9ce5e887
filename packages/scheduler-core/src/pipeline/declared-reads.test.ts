import { describe, expect, test } from 'vitest'
import { filters, weighers } from '../bundled.ts'
import { placementFilters } from '../nova/compat/placement-filters.ts'
import { novaFilters } from '../nova/filters/index.ts'
import { ownHostsOf } from '../nova/own/own-hosts.ts'
import { novaRequestOf } from '../nova/requests/own-request.ts'
import { novaWeighers } from '../nova/weighers/index.ts'
import { type OptionalField, type RequestReads, type RequestReadsBy, readsBy } from '../request/request-reads.ts'
import { aFleet, aRequest } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'

/**
 * Records which keys a filter or weigher reads by name in the extra specs, hints and image properties. Keys that are only read while
 * iterating over a whole map are not recorded.
 */
function looking() {
  const looked = { extraSpecs: new Set<string>(), schedulerHints: new Set<string>(), imageProperties: new Set<string>() }
  const noting = (kind: keyof typeof looked): Record<string, never> =>
    new Proxy<Record<string, never>>(
      {},
      {
        get(target, key, receiver) {
          if (typeof key === 'string') looked[kind].add(key)
          return Reflect.get(target, key, receiver)
        },
        getOwnPropertyDescriptor(target, key) {
          looked[kind].add(String(key))
          return Reflect.getOwnPropertyDescriptor(target, key)
        },
      },
    )
  const fields = new Set<OptionalField>()
  /** A proxy of the object that records `field` as read if the property `name` is read. */
  const notingField = <Given extends object>(given: Given, name: keyof Given, field: OptionalField): Given => {
    // reading the property while the whole object is copied does not count
    let isCopied = false
    return new Proxy(given, {
      ownKeys(target) {
        isCopied = true
        return Reflect.ownKeys(target)
      },
      get(target, key, receiver) {
        if (key === name && !isCopied) fields.add(field)
        return Reflect.get(target, key, receiver)
      },
    })
  }
  const undeclared = (part: { readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>> | undefined }): string[] => {
    const reads: RequestReads = readsBy(part.readsRequest ?? {}, {})
    const keys = (Object.keys(looked) as (keyof typeof looked)[]).flatMap((kind) =>
      [...looked[kind]]
        .filter((key) => !isAlways(key) && reads[kind]?.(key, 'required', reporting) !== true)
        .map((key) => `${kind} ${key}`),
    )
    return [...keys, ...[...fields].filter((field) => reads.fields?.includes(field) !== true)]
  }
  return { noting, notingField, undeclared }
}

/**
 * Makes every name in a request known: hosts report every stat, aggregates have every metadata key, and Nova knows every image property.
 */
const reporting = { reportsStat: () => true, hasMetadata: () => true, propertiesOf: (name: string) => [{ name, value: 'x' }] }

/**
 * Keys that are read for every profile. Therefore no filter or weigher declares them. They are amounts of resources, and
 * `_nova_check_type`, which Nova sets to the type of its call.
 */
const isAlways = (key: string): boolean => key.startsWith('resources:') || key === '_nova_check_type'

describe('each filter and weigher declares the keys that it reads', () => {
  const fleet = aFleet({ h1: {} })
  const novas = [...novaFilters, ...novaWeighers]
  const isNovas = (part: { readonly name: string; readonly description: string }): boolean =>
    novas.some(({ name, description }) => part.name === name && part.description === description)
  const own = [...filters, ...weighers].filter((part) => !isNovas(part))

  test.each(own.map((part) => [part.name, part] as const))('%s declares the keys that it reads', (_, part) => {
    const { noting, notingField, undeclared } = looking()
    const plain = aRequest({ image: { properties: {} } })
    const request = {
      ...plain,
      flavor: { ...plain.flavor, extraSpecs: noting('extraSpecs') },
      image: plain.image && notingField({ ...plain.image, properties: noting('imageProperties') }, 'architecture', 'architecture'),
      schedulerHints: noting('schedulerHints'),
    }
    part.prepare(
      notingField(request, 'availabilityZone', 'zone'),
      fleet,
      part.parameters === undefined ? {} : (part.parameters.parse({}) as Record<string, unknown>),
      1,
    )
    expect(undeclared(part)).toEqual([])
  })

  test.each(novas.map((part) => [part.name, part] as const))('%s of Nova declares the keys that it reads', (_, part) => {
    const { noting, notingField, undeclared } = looking()
    const plain = novaRequestOf(aRequest({ image: { properties: {} } }))
    const request = {
      ...plain,
      flavor: { ...plain.flavor, extraSpecs: noting('extraSpecs') },
      image: plain.image && { ...plain.image, properties: noting('imageProperties') },
      schedulerHints: noting('schedulerHints'),
    }
    const host = ownHostsOf(fleet)(0 as HostIndex)
    const noted = notingField(notingField(request, 'availabilityZone', 'zone'), 'networkMetadata', 'networks')
    if ('oncePerRequest' in part) part.prepare(noted, {}, { now: 0 })?.(host)
    else part.prepare(noted, {}, () => 1, 1)(host)
    expect(undeclared(part)).toEqual([])
  })

  test.each(placementFilters.map((part) => [part.name, part] as const))(
    'the Placement check %s declares reads if and only if it reads the request',
    (_, part) => {
      const readers = ['PlacementZone', 'PlacementIsolation', 'PlacementTraits', 'PlacementImageType']
      expect(part.readsRequest !== undefined).toBe(readers.includes(part.name))
    },
  )

  test('at least one filter or weigher reads each optional field of a request', () => {
    const all = [...filters, ...weighers, ...novaFilters, ...novaWeighers].flatMap(({ readsRequest = {} }) =>
      readsBy(readsRequest as RequestReads, {} as never),
    )
    const read = new Set(all.flatMap(({ fields = [] }) => fields))
    const members = ['antiAffinityMembers', 'softAffinityMembers', 'softAntiAffinityMembers']
    const soft = ['softAffinity', 'softAffinityHosts', 'softAntiAffinity', 'softAntiAffinityHosts']
    const others = ['architecture', 'networks', 'ports', 'traits', 'tried', 'volumes', 'zone']
    expect(read).toEqual(new Set([...others, ...members, ...soft]))
  })
})
