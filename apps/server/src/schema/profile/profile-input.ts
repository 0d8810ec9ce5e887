import { ownSchedulers, profileSchema } from '@gantt/scheduler-core'
import { z } from 'zod'
import { type Invalid, invalid, issue } from '../../services/calls/outcome.ts'
import { inputOf } from '../forms/form-input.ts'
import { Normalisation, ProfileCompat, ResourceKindName, SchedulerKind, TieOrder } from './profile-settings.ts'

const { name: _, number: __, filters, weighers, ...settings } = profileSchema.shape

const enabled = z.boolean().default(true).describe('False: the filter or weigher is left out of the version.')

/**
 * The form of a profile version in the input of the API. The name of the profile is a separate argument of the call, and the service
 * assigns the version number.
 */
const profileForm = z
  .strictObject({
    ...settings,
    note: settings.note.removeDefault().describe('The purpose of the version, for people.'),
    filters: z
      .array(filters.element.extend({ enabled }).describe('A filter of a profile, with its settings.'))
      .describe(
        'The filters. Those in this process run in this order. Then the fit filters of resource kinds and server groups run that are not listed, and then the filters outside of the process.',
      ),
    weighers: z
      .array(weighers.element.extend({ enabled }).describe('A weigher of a profile, with its settings.'))
      .describe('The weighers of the version.'),
    scheduler: z
      .enum([...ownSchedulers, 'plugin'])
      .optional()
      .describe('How hosts are chosen; by default FILTER, or PLUGIN if `schedulerName` is given.'),
    schedulerName: z
      .string()
      .optional()
      .describe("The name of a plug-in's scheduler. Give it without `scheduler`, or together with PLUGIN."),
  })
  .describe('The content of the next version of a profile.')

export const profileVersionInput = inputOf(profileForm, {
  name: 'ProfileVersionInput',
  names: {
    filters: 'FilterSettingInput',
    weighers: 'WeigherSettingInput',
    assignment: 'AssignmentInput',
    'assignment.classes': 'AssignmentRuleInput',
    nova: 'NovaSettingsInput',
    'nova.placement': 'PlacementSettingsInput',
    solver: 'SolverSettingsInput',
  },
  types: {
    normalisation: Normalisation,
    tieOrder: TieOrder,
    scheduler: SchedulerKind,
    collects: ResourceKindName,
    compat: ProfileCompat,
    'filters.options': 'JSON',
    'weighers.options': 'JSON',
    'assignment.classes.options': 'JSON',
  },
  printedDefaults: ['hostSubsetSize', 'filters.enabled', 'weighers.enabled'],
})

type GivenVersion = typeof profileVersionInput.type.$inferInput

/** Converts the input to a profile in the core's form, without disabled filters and weighers. */
export function toParts({
  filters: filterList,
  weighers: weigherList,
  scheduler,
  schedulerName,
  ...rest
}: GivenVersion): Record<string, unknown> {
  const withoutDisabled = <Part extends { readonly enabled?: boolean | null | undefined }>(parts: readonly Part[]) =>
    parts.filter((part) => part.enabled !== false).map(({ enabled: _, ...part }) => part)
  const parts = {
    ...rest,
    scheduler: schedulerName ?? scheduler,
    filters: withoutDisabled(filterList),
    weighers: withoutDisabled(weigherList),
  }
  return profileVersionInput.read(parts, ['input'], [])
}

type PathOfParts = (path: readonly string[]) => readonly string[]

/**
 * Returns a function that converts a path in the core's form to a path in the call. The core's form has only the enabled filters and
 * weighers, and one field for the scheduler.
 */
export function pathIn({ filters, weighers, schedulerName }: GivenVersion): PathOfParts {
  const lists = new Map(Object.entries({ filters, weighers }))
  return (path) => {
    const [field = '', i, ...rest] = path
    if (field === 'scheduler' && schedulerName) return ['schedulerName', ...path.slice(1)]
    const list = lists.get(field)
    if (list === undefined || i === undefined) return path
    const written = [...list.keys()].filter((at) => list[at]?.enabled !== false)[Number(i)]
    return written === undefined ? path : [field, String(written), ...rest]
  }
}

/** The error if both scheduler fields are set, because only one scheduler can decide. */
export const twoSchedulers = ({ scheduler, schedulerName }: GivenVersion): Invalid | undefined =>
  schedulerName && scheduler && scheduler !== 'plugin'
    ? invalid([issue(['input', 'scheduler'], scheduler.toUpperCase(), 'be PLUGIN or be left out, because schedulerName names a scheduler')])
    : undefined
