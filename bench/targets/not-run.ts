import { type Goal, goals } from './goals.ts'
import type { NotRun, TargetQuestion } from './target.ts'

const notRun = (name: string, about: readonly Goal[], reason: string, command: string): TargetQuestion => ({
  name,
  goals: about,
  rounds: 1,
  run: () => about.map((goal): NotRun => ({ goal, reason, command })),
})

const NO_HARNESS = 'this repository has no program that starts it'

/** The goals that compare with other programs, or need a browser. */
export const otherPrograms: readonly TargetQuestion[] = [
  notRun(
    'p9',
    [goals.nova],
    `needs Nova and Placement of Debian, and ${NO_HARNESS}`,
    'apt-get install python3-nova python3-placement, time select_destinations of Nova at 10,000 hosts with its database and Placement, then npm run bench -- p6 --hosts 10000 on the same machine',
  ),
  notRun('p12', [goals.console], 'needs a browser, and is a measurement of its own', 'npm run bench:console -- --hosts 100000'),
  notRun(
    'p13',
    [goals.kube],
    `needs kube-scheduler with an API server and etcd, and ${NO_HARNESS}`,
    'apt-get install etcd-server, build kube-scheduler and kube-apiserver from apt-get source kubernetes, time kube-scheduler with 5,000 nodes, then npm run bench -- p6 --hosts 5000 on the same machine',
  ),
  notRun(
    'p14',
    [goals.candidatesAll, goals.candidatesOne, goals.allocations],
    'this service has no Placement API (allocation_candidates, allocations), so only the calls of the real Placement could be measured',
    'give the service a Placement API, apt-get install python3-placement, then time the same calls to both, with 1,000 and 10,000 providers each, on the same machine',
  ),
]
