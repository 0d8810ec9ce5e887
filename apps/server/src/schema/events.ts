import type { Gap } from '../services/fleet-deltas.ts'
import { builder } from './builder.ts'

export const GapEvent = builder.objectRef<Gap>('GapEvent').implement({
  description: 'Changes were missed: read everything again, then go on from its revision.',
  fields: (t) => ({
    missedFrom: t.expose('missedFrom', { type: 'Revision', description: 'The last revision that was seen.' }),
    resumeAt: t.expose('resumeAt', { type: 'Revision', description: 'From here on nothing is missed.' }),
  }),
})
