import { z } from 'zod'
import { defineNamespace, form } from '../../records/namespace-document.ts'
import { list, name, unique, uuid } from '../../report/versions/v1-0.ts'
import { limits } from '../../request/limits.ts'
import { distance } from './distance.ts'

const physicalNetwork = z.strictObject({
  name: name.describe('The name of the physical network, as the network service calls it.'),
  distance: distance.describe('The distance of the network from the host: 1 for the usual uplink, 0 for a nearer network.'),
  segments: list(name).nullable().default(null).describe('The segments of the network that the host reaches; null: all segments.'),
})

const port = z.strictObject({
  uuid: uuid.describe('The uuid of the port.'),
  physicalNetwork: name.describe('The physical network of the port; the host need not reach it.'),
  segment: name.nullable().default(null).describe('The segment of the network. Null: a port can use any segment.'),
  here: z.boolean().default(false).describe('True if the port is bound on this host.'),
})

export const networkV1_0 = z.strictObject({
  physicalNetworks: list(physicalNetwork).refine(
    unique((one: { readonly name: string }) => one.name),
    'must name each physical network once',
  ),
  ports: list(port, limits.documentLength)
    .default([])
    .refine(
      unique((one: { readonly uuid: string }) => one.uuid),
      'must name each port once',
    ),
})

export type PhysicalNetwork = z.output<typeof physicalNetwork>
export type Port = z.output<typeof port>

/** A network service's document about a host: the physical networks that the host reaches, and ports on them. */
export interface Network {
  readonly physicalNetworks: ReadonlyMap<string, PhysicalNetwork>
  /** The ports by uuid. */
  readonly ports: ReadonlyMap<string, Port>
}

export const network = defineNamespace<Network>(
  {
    name: 'network',
    description: 'Physical networks that a host reaches, and ports, as a network service reports them.',
    maxAgeSeconds: 3_600,
    things: ({ ports }) => ports.keys(),
    says({ ports }, thing, host) {
      const port = ports.get(thing)
      return port && [port.physicalNetwork, port.segment, port.here ? host : null]
    },
  },
  new Map([
    [
      '1.0',
      form(networkV1_0, (document) => ({
        physicalNetworks: new Map(document.physicalNetworks.map((one) => [one.name, one])),
        ports: new Map(document.ports.map((one) => [one.uuid, one])),
      })),
    ],
  ]),
)
