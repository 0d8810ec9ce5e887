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
    `needs Nova and Placement of Debian (python3-nova, placement-api), and ${NO_HARNESS}`,
    'time select_destinations of Nova at 10,000 hosts with its database and Placement, then npm run bench -- p6 --hosts 10000 on the same machine',
  ),
  notRun('p12', [goals.console], 'needs a browser, and is a measurement of its own', 'npm run bench:console -- --hosts 100000'),
  notRun(
    'p13',
    [goals.kube],
    `needs kube-scheduler with an API server and etcd, and ${NO_HARNESS}`,
    'time kube-scheduler with 5,000 nodes, then npm run bench -- p6 --hosts 5000 on the same machine',
  ),
  notRun(
    'p14',
    [goals.candidatesAll, goals.candidatesOne, goals.allocations],
    `needs Placement 8.0 (placement-api), and ${NO_HARNESS}`,
    'time the same calls to Placement and to this service, with 1,000 and 10,000 providers each, on the same machine',
  ),
]
