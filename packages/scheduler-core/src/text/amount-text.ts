/** A count with its noun, for people: 1 host, 2 hosts. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`

/** Instances that found no host; `areMore`: others found one. */
export const instancesLeft = (count: number, areMore: boolean): string =>
  count === 1 ? `one ${areMore ? 'more ' : ''}instance` : counted(count, areMore ? 'more instance' : 'instance')

/**
 * Resource classes that have a unit of measure, or another name for people. For other classes the class itself is the unit, which the
 * subject names.
 */
const classUnits: Readonly<Record<string, string>> = { MEMORY_MB: 'MiB', DISK_GB: 'GiB', VCPU: 'vCPUs', PCPU: 'dedicated CPUs' }

const isResourceClass = (unit: string): boolean => /^[A-Z][A-Z0-9_]+$/.test(unit)

/** Countable things, in singular and plural, with the words before and after the noun. */
const NOUN =
  /^((?:dedicated |shared |guest |NUMA )*)(vCPU|CPU|GPU|cell|claim|device|host|instance|member|operation|page|step|thread)s?(?= |$)(.*)$/

/**
 * An amount with its unit in the form in which sentences about a host use it: 1 vCPU, 2 vCPUs, 8192 MiB, no members, fewer than 2 members.
 * Without a unit, or in units of a class that has no other name, the amount alone.
 */
export function amountText(amount: number | string, unit?: string): string {
  const text = valueText(amount)
  const { one, several } = measureOf(unit)
  if (several === '') return text
  if (text === 'fewer than 1') return `no ${several}`
  return `${text} ${/(?:^|\D)1$/.test(text) ? one : several}`
}

/** What an amount of this unit measures, in singular and plural: two units with the same meaning have the same measure. */
export function measureOf(unit = ''): { readonly one: string; readonly several: string } {
  const measure = isResourceClass(unit) ? (classUnits[unit] ?? '') : unit
  const noun = NOUN.exec(measure)
  if (noun === null) return { one: measure, several: measure }
  const [, before = '', one = '', behind = ''] = noun
  return { one: before + one + behind, several: `${before}${one}s${behind}` }
}

/** A value within a sentence; a value that would be invisible is put in quotes. */
export const valueText = (value: number | string): string => {
  const text = String(value)
  return text.trim() === '' ? JSON.stringify(text) : text
}

/** Names for people of resource classes whose unit does not say what they are, and of the names that Nova's filters use for them. */
const classWords: Readonly<Record<string, string>> = { MEMORY_MB: 'Memory', memory: 'Memory', DISK_GB: 'Disk', disk: 'Disk' }

/** Resource classes whose unit names them. */
const SAID_BY_UNIT: readonly string[] = ['VCPU', 'PCPU']

/** The noun in front of an amount; empty if the unit already says what is measured. */
export function subjectText(subject: string, unit?: string): string {
  const { one, several } = measureOf(unit)
  if ([one, several].some((measure) => measure.toLowerCase() === subject.toLowerCase())) return ''
  if (SAID_BY_UNIT.includes(subject) && one === measureOf(subject).one) return ''
  return `${Object.hasOwn(classWords, subject) ? classWords[subject] : subject}: `
}

/** Text after a free amount that is negative: by how much the resource is over-full. The amount itself is then shown as 0. */
export const overfullText = (left: number | string | undefined, unit?: string): string =>
  typeof left === 'number' && left < 0 ? `; over-full by ${amountText(-left, unit)}` : ''
