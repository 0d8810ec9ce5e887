import { jetstream } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { parseNatsAddress } from '../../sync/nats/address.ts'
import { openConnection } from '../../sync/nats/connection.ts'
import { noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { realTimers, type Timers } from '../../timers.ts'
import { openFollowed } from './followed.ts'

describe.skipIf(noNatsServer !== undefined)(
  `a stream that is followed${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`,
  () => {
    test('a slow stream causes no error while messages arrive', async () => {
      const server = await startNatsServers()
      const address = parseNatsAddress(server.url)
      if (address === undefined) throw new Error(`${server.url} is not an address`)
      const connection = await openConnection(address, 'followed.test')
      await connection.streams.add({ name: 'FOLLOWED', subjects: ['FOLLOWED'] })
      const publisher = jetstream(connection.nats, { checkAPI: false })
      await Promise.all(Array.from({ length: 600 }, () => publisher.publish('FOLLOWED', 'x')))
      // a caller waits at most this long without a message; the test lets this time pass by calling these functions
      const late: (() => void)[] = []
      const timers: Timers = {
        ...realTimers,
        after(ms, act) {
          if (ms < 5_000) return realTimers.after(ms, act)
          late.push(act)
          return () => {}
        },
      }
      let shown = 0
      let timesUp = 0
      const followed = await openFollowed(connection, {
        ...{ stream: 'FOLLOWED', timers, onReplaced: () => undefined },
        onMessage() {
          shown++
          for (const act of shown % 300 === 0 ? late.splice(0) : []) {
            timesUp++
            act()
          }
        },
      })
      expect([shown, timesUp]).toEqual([600, 2])
      // no further message arrives
      const more = followed.reach(601)
      for (const act of late.splice(0)) act()
      await expect(more).rejects.toThrow('the stream FOLLOWED does not deliver its message 601')
      followed.close()
      await connection.close()
      await server.stop()
    })
  },
)
