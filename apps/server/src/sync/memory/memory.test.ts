import { synchronizerSuite } from '../synchronizer.suite.ts'
import { createMemoryStore } from './memory.ts'

synchronizerSuite({
  name: 'memory',
  async createStore() {
    const store = createMemoryStore()
    return {
      open: async () => store.open(),
      truncate: async (revision) => store.faults.truncate(revision),
      followedTo: async (revision) => store.followedTo(revision),
      drop: async () => undefined,
    }
  },
})
