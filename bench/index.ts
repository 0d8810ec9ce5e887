import { copy } from './copy.ts'
import { endedKeys } from './ended-keys.ts'
import { explanation } from './explanation.ts'
import { hostileKinds } from './hostile-kinds.ts'
import { join } from './join.ts'
import { manyInstances } from './many-instances.ts'
import { memory } from './memory.ts'
import { multipliers } from './multipliers.ts'
import { named } from './named.ts'
import { nearQuestion } from './near.ts'
import { hostileNuma } from './nova/hostile-numa.ts'
import { novaDecisions } from './nova/nova-decisions.ts'
import type { Question } from './question.ts'
import { receiptTexts } from './receipt-texts.ts'
import { refusal } from './refusal.ts'
import { replayQuestion } from './replay.ts'
import { projectedRows } from './service/projected-rows.ts'
import { reportsQuestion } from './service/reports.ts'
import { solverQuestion } from './solver.ts'
import { storage } from './storage.ts'
import { whatWouldFitQuestion } from './what-would-fit.ts'
import { whyNot } from './why-not.ts'

/** All operations that the benchmark measures. */
export const questions: readonly Question[] = [
  explanation,
  whyNot,
  whatWouldFitQuestion,
  refusal,
  replayQuestion,
  storage,
  receiptTexts,
  projectedRows,
  endedKeys,
  copy,
  join,
  memory,
  manyInstances,
  multipliers,
  named,
  novaDecisions,
  nearQuestion,
  hostileKinds,
  hostileNuma,
  reportsQuestion,
  solverQuestion,
]
