// Places one instance, starts it, and confirms its claim. `place` of @gantt/client repeats a call that got no answer, tries the next host
// if a host cannot start the instance, and then confirms or releases the claim. Before that, two hosts report; the request allows only
// these two, so the example places nothing on other hosts.
import { createGantt } from '@gantt/client'

const { GANTT_URL, GANTT_KEY } = process.env
const gantt = createGantt({ url: GANTT_URL ?? 'http://127.0.0.1:4400/graphql', key: () => GANTT_KEY ?? '' })

for (const [host, vcpus] of [
  ['rack1-a', 128],
  ['rack1-b', 16],
]) {
  const machine = { vcpus, vcpusUsed: 0, memoryMb: 4_096 * vcpus, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0 }
  const answer = await gantt.reporter({ name: { host }, full: () => machine }).report()
  if (answer.__typename !== 'ResourceStatsApplied') throw new Error(answer.message)
}

/** Does what a program does to start an instance on a host. If it rejects, the host cannot start the instance. */
async function startOn(host) {
  if (host === 'rack1-a') throw new Error('it has no image')
}

const result = await gantt.place(
  { spec: { gantt: { flavor: { vcpus: 2, memoryMb: 4_096 }, forceHosts: ['rack1-a', 'rack1-b'] } } },
  async ({ host }) => {
    console.log(`${host.name} is reserved`)
    await startOn(host.name).catch((error) => {
      console.log(`${host.name} refused: ${error.message}`)
      throw error
    })
  },
)
if (result.__typename !== 'Started') throw new Error(result.message ?? result.__typename)
console.log(`${result.host.name} runs it, and its claim is ${result.claim.state}`)
