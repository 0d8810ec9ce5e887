import { synchronizerSuite } from '../synchronizer.suite.ts'
import { createMemoryStore } from './memory.ts'

for (const isShared of [false, true])
  synchronizerSuite({
    name: isShared ? 'memory with a shared flush' : 'memory',
    async createStore() {
      const store = createMemoryStore(undefined, { isShared })
      return {
        open: async () => store.open(),
        async backUp() {
          const revision = store.entries.length
          return async () => store.faults.truncate(revision)
        },
        followedTo: async (revision) => store.followedTo(revision),
        drop: async () => undefined,
      }
    },
  })
