/** A count with its noun: 1 host, 2 hosts. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`

/** Text about instances that found no host. `areMore` means that other instances of the request found a host. */
export const instancesLeft = (count: number, areMore: boolean): string =>
  count === 1 ? `one ${areMore ? 'more ' : ''}instance` : counted(count, areMore ? 'more instance' : 'instance')

/**
 * Resource classes with a unit of measure, or with a display name. For other classes the unit is the class itself, which the subject names.
 */
const classUnits: Readonly<Record<string, string>> = { MEMORY_MB: 'MiB', DISK_GB: 'GiB', VCPU: 'vCPUs', PCPU: 'dedicated CPUs' }

const isResourceClass = (unit: string): boolean => /^[A-Z][A-Z0-9_]+$/.test(unit)

/** Countable things, in singular and plural, with the words before and after the noun. */
const NOUN =
  /^((?:dedicated |shared |guest |NUMA )*)(vCPU|CPU|GPU|cell|claim|device|host|instance|member|operation|page|step|thread)s?(?= |$)(.*)$/

/**
 * An amount with its unit as in sentences about a host: 1 vCPU, 2 vCPUs, 8192 MiB, no members, fewer than 2 members. Without a unit, or for
 * a class without a display name, only the amount.
 */
export function amountText(amount: number | string, unit?: string): string {
  const text = valueText(amount)
  const { one, several } = measureOf(unit)
  if (several === '') return text
  if (text === 'fewer than 1') return `no ${several}`
  return `${text} ${/(?:^|\D)1$/.test(text) ? one : several}`
}

/** The noun for what a unit measures, in singular and plural. Two units with the same meaning have the same noun. */
export function measureOf(unit = ''): { readonly one: string; readonly several: string } {
  const measure = isResourceClass(unit) ? (classUnits[unit] ?? '') : unit
  const noun = NOUN.exec(measure)
  if (noun === null) return { one: measure, several: measure }
  const [, before = '', one = '', behind = ''] = noun
  return { one: before + one + behind, several: `${before}${one}s${behind}` }
}

/** A value within a sentence. An invisible value is put in quotes. */
export const valueText = (value: number | string): string => {
  const text = String(value)
  return text.trim() === '' ? JSON.stringify(text) : text
}

/** Display names of resource classes with a unit that does not identify them, and of the names that Nova's filters use for them. */
const classWords: Readonly<Record<string, string>> = { MEMORY_MB: 'Memory', memory: 'Memory', DISK_GB: 'Disk', disk: 'Disk' }

/** Resource classes that their unit identifies. */
const SAID_BY_UNIT: readonly string[] = ['VCPU', 'PCPU']

/** The noun in front of an amount. Empty if the unit already identifies the resource. */
export function subjectText(subject: string, unit?: string): string {
  const { one, several } = measureOf(unit)
  if ([one, several].some((measure) => measure.toLowerCase() === subject.toLowerCase())) return ''
  if (SAID_BY_UNIT.includes(subject) && one === measureOf(subject).one) return ''
  return `${Object.hasOwn(classWords, subject) ? classWords[subject] : subject}: `
}

/** Text after a negative free amount: by how much claims exceed the capacity. The amount itself is then shown as 0. */
export const overfullText = (left: number | string | undefined, unit?: string): string =>
  typeof left === 'number' && left < 0 ? `; over-full by ${amountText(-left, unit)}` : ''
