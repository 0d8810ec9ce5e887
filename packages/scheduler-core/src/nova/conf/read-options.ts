import { quote } from '../../text/problem.ts'
import { allocationOptions } from './allocation-options.ts'
import type { Finding } from './finding.ts'
import { type Setting, sectionKey } from './ini.ts'
import { commonNames, type KnownOption, knownOptions, type Place, placingSections } from './known-options.ts'
import { isIn, lifespanText, releaseName } from './releases.ts'
import { type Lookup, substitute } from './substitute.ts'
import { type OptionValue, readValue } from './values.ts'

/** The value of an option, as a release of Nova reads it from the file. */
export interface ReadOption {
  readonly value: OptionValue
  /** The assignment in the file that takes effect. */
  readonly setting: Setting
}

export interface ReadOptions {
  readonly options: ReadonlyMap<string, ReadOption>
  readonly findings: readonly Finding[]
  /** The settings in the file that have nothing to do with the choice of hosts. */
  readonly elsewhere: readonly Setting[]
}

/** Reads the options that a release knows. Settings of the scheduler that the release does not read become findings. */
export function readOptions(settings: readonly Setting[], release: number): ReadOptions {
  const index = indexOf(settings)
  const findings: Finding[] = []
  const options = new Map<string, ReadOption>()
  for (const option of [...knownOptions, ...allocationOptions]) {
    const read = readOption(option, index, release, findings)
    if (read !== undefined) options.set(option.key, read)
  }
  const elsewhere = settings.filter((setting) => {
    if (placesByName.has(nameOf(setting)) || ofHosts.has(nameOf(setting))) return false
    const why = whyElsewhere(setting, release) ?? whyUnknown(setting)
    if (why !== undefined) findings.push({ kind: 'idle', line: setting.line, subject: subjectOf(setting), message: why })
    return why === undefined
  })
  return { options, findings, elsewhere }
}

export const subjectOf = ({ section, name }: Pick<Setting, 'section' | 'name'>): string => `[${section}] ${name}`

const nameOf = ({ section, name }: Pick<Setting, 'section' | 'name'>): string => `${sectionKey(section)}.${name}`

/** All known options of all releases, by section and name. */
export const placesByName: ReadonlyMap<string, { readonly option: KnownOption; readonly place: Place }> = new Map(
  knownOptions.flatMap((option) => option.places.map((place) => [nameOf(place), { option, place }] as const)),
)

/** All sections and releases in which an option with this name exists. */
const placesOfName = (name: string): readonly Place[] =>
  [...knownOptions, ...allocationOptions].flatMap(({ places }) => places.filter((place) => place.name === name))

/** Section and name of the options that hosts read. */
const ofHosts: ReadonlySet<string> = new Set(allocationOptions.flatMap(({ places }) => places.map(nameOf)))

type Index = ReadonlyMap<string, readonly Setting[]>

function indexOf(settings: readonly Setting[]): Index {
  const index = new Map<string, Setting[]>()
  for (const setting of settings) {
    const same = index.get(nameOf(setting))
    if (same === undefined) index.set(nameOf(setting), [setting])
    else same.push(setting)
  }
  return index
}

function readOption(option: KnownOption, index: Index, release: number, findings: Finding[]): ReadOption | undefined {
  const note = (kind: Finding['kind'], setting: Setting, message: string) =>
    findings.push({ kind, line: setting.line, subject: subjectOf(setting), message })
  const found = option.places.flatMap((place) => (index.get(nameOf(place)) ?? []).map((setting) => ({ setting, place })))
  const read = found.filter(({ place }) => isIn(release, place))
  // A setting that the release's scheduler does not read is reported, unless hosts read it.
  for (const { setting, place } of found)
    if (!isIn(release, place) && !(option.key === place.name && ofHosts.has(nameOf(place))))
      note('idle', setting, whyNotRead(place, release))
  // The newest section and name have precedence over older ones. Of several assignments of one name, the last one applies.
  const first = read[0]?.place
  const setting = read.findLast(({ place }) => place === first)?.setting
  if (setting === undefined) return undefined
  if (option.type.is === 'texts') return readAll(read, index, note)
  for (const { setting: other } of read)
    if (other !== setting) note('note', other, `is also set in line ${setting.line}, and that value applies`)
  const text = substitute(setting.value, lookupIn(index, setting))
  if (!text.ok) {
    note('refused', setting, `${text.why}; left at Nova's default`)
    return undefined
  }
  const value = readValue(option.type, text.text)
  if (!value.ok) {
    note('refused', setting, `is ${value.found}; it must be ${value.allowed}; left at Nova's default`)
    return undefined
  }
  const keepsOut = option.lost !== undefined && !option.lost.unless.includes(value.value)
  if (keepsOut && option.lost.before !== undefined && release <= option.lost.before.until)
    note('idle', setting, `is read by Nova ${releaseName(release)} ${option.lost.before.purpose}, and not when a host is chosen`)
  else if (keepsOut && option.lost.onlyIf !== undefined && !isOn(option.lost.onlyIf, index))
    note('idle', setting, `has an effect only if ${subjectOf(option.lost.onlyIf)} is on`)
  else if (keepsOut) note('lost', setting, `excludes ${option.lost.hosts}; this service would let them in`)
  else if (option.idle !== undefined && (option.idle.ifOn !== true || value.value === true))
    note('idle', setting, `is ${quote(text.text)}, and has no meaning here: ${option.idle.why}`)
  return { value: value.value, setting }
}

/** Returns true if the file enables a flag. Only for flags that are off by default. */
function isOn(flag: Pick<Place, 'section' | 'name'>, index: Index): boolean {
  const setting = index.get(nameOf(flag))?.at(-1)
  const text = setting && substitute(setting.value, lookupIn(index, setting))
  const value = text?.ok ? readValue({ is: 'flag' }, text.text) : undefined
  return value?.ok === true && value.value === true
}

/** Reads an option that a file can set several times. The result is the list of all values. */
function readAll(
  read: readonly { readonly setting: Setting }[],
  index: Index,
  note: (kind: Finding['kind'], setting: Setting, message: string) => void,
): ReadOption | undefined {
  const values = read.flatMap(({ setting }) => {
    const text = substitute(setting.value, lookupIn(index, setting))
    if (text.ok) return text.text
    note('refused', setting, `${text.why}; left out`)
    return []
  })
  const setting = read.at(-1)?.setting
  return setting === undefined ? undefined : { value: values, setting }
}

/**
 * Returns a function that finds the option to which a reference such as `$name` or `$group.name` refers. A reference without a group is
 * looked up in the section of the setting that contains the reference, then in the section DEFAULT.
 */
function lookupIn(index: Index, { section }: Setting): Lookup {
  return (reference) => {
    const [head = '', ...rest] = reference.split('.')
    const keys = rest.length > 0 ? [`${sectionKey(head)}.${rest.join('.')}`] : [`${sectionKey(section)}.${reference}`]
    for (const key of [...keys, `DEFAULT.${reference}`]) {
      const setting = index.get(key)?.at(-1)
      if (setting !== undefined) return { key, text: setting.value }
    }
    return undefined
  }
}

const whyNotRead = (place: Place, release: number): string => `is not read by Nova ${releaseName(release)}, only by ${lifespanText(place)}`

/**
 * Returns the message for a setting whose name is that of an option of the scheduler or of hosts, but which is in a wrong section.
 * Undefined for any other setting.
 */
function whyElsewhere({ section, name }: Setting, release: number): string | undefined {
  const places = placesOfName(name)
  const isOfAnother = commonNames.has(name) && section !== 'DEFAULT' && !placingSections.has(sectionKey(section))
  const known = places.find((place) => isIn(release, place)) ?? places[0]
  if (known === undefined || isOfAnother) return undefined
  return `is in the wrong section, where nothing reads it; it is an option of [${known.section}]`
}

function whyUnknown({ section, name }: Setting): string | undefined {
  const isPlacing = placingSections.has(sectionKey(section)) || (section === 'DEFAULT' && name.startsWith('scheduler_'))
  return isPlacing ? 'is no option of the scheduler in any release from juno on; nothing reads it' : undefined
}
