import { callsTarget } from './calls.ts'
import { closuresTarget, decisionTarget } from './decision.ts'
import { durableTarget } from './durable.ts'
import { equalityTarget } from './equality.ts'
import { explanationTarget } from './explanation.ts'
import { furtherTarget } from './further.ts'
import { joinTarget } from './join.ts'
import { otherPrograms } from './not-run.ts'
import { sizeTarget } from './size.ts'
import type { TargetQuestion } from './target.ts'
import { updateTarget } from './update.ts'

const numberOf = ({ name }: TargetQuestion): number => Number(name.slice(1))

/** The measurements of all goals for speed, in the order of their names. */
export const targets: readonly TargetQuestion[] = [
  decisionTarget,
  closuresTarget,
  equalityTarget,
  sizeTarget,
  updateTarget,
  callsTarget,
  furtherTarget,
  durableTarget,
  explanationTarget,
  joinTarget,
  ...otherPrograms,
].sort((a, b) => numberOf(a) - numberOf(b))
