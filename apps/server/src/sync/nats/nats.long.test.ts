import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe } from 'vitest'
import { backUpStream } from '../../testing/nats-backup.ts'
import { type NatsServers, noNatsServer, startNatsServers, whenThere } from '../../testing/nats-servers.ts'
import { synchronizerSuite } from '../synchronizer.suite.ts'
import { parseNatsAddress } from './address.ts'
import { openNatsSynchronizer } from './nats.ts'
import { namesOf } from './stream-settings.ts'

let fleets = 0

for (const count of [1, 3] as const)
  describe.skipIf(noNatsServer !== undefined)(
    `with ${count} of nats-server${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`,
    () => {
      let cluster: NatsServers

      beforeAll(async () => {
        cluster = await startNatsServers({ count })
      })

      afterAll(() => cluster.stop())

      synchronizerSuite({
        name: `NATS of ${count}`,
        async createStore() {
          const address = parseNatsAddress(`${cluster.url}/fleet-${++fleets}`)
          if (address === undefined) throw new Error(`${cluster.url} is not an address`)
          const port = cluster.servers[0]?.port ?? 0
          const names = namesOf(address.fleet)
          let followedTo = Number.MAX_SAFE_INTEGER
          return {
            open: () =>
              whenThere(() => openNatsSynchronizer(address, { reached: async () => followedTo, warn: () => undefined, doubtMs: 0 })),
            backUp: () => backUpStream(port, names.log),
            async followedTo(revision) {
              followedTo = revision
            },
            async drop() {
              const nats = await connect({ port })
              const { streams } = await jetstreamManager(nats, { checkAPI: false })
              await Promise.all([names.log, names.checkpoints, names.coordination].map((name) => streams.delete(name)))
              await nats.close()
            },
          }
        },
      })
    },
  )
