import type { Gap } from '../../services/fleet/fleet-deltas.ts'
import { builder } from '../builder.ts'

export const GapEvent = builder.objectRef<Gap>('GapEvent').implement({
  description: 'Changes were missed. The reader must read everything again, then continue from the revision of what it read.',
  fields: (t) => ({
    missedFrom: t.expose('missedFrom', { type: 'Revision', description: 'The last revision before the gap.' }),
    resumeAt: t.expose('resumeAt', { type: 'Revision', description: 'The reader gets all changes after this revision.' }),
  }),
})
