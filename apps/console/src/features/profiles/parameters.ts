import { NO_OPTIONS } from './course.ts'

/** The options of a filter, weigher or scheduler, from their JSON Schema. Each has its default and description. */
export function parametersText(schema: unknown): string {
  const properties = memberOf(schema, 'properties')
  if (properties === null || typeof properties !== 'object') return NO_OPTIONS
  const texts = Object.entries(properties).map(([name, property]) => {
    const [standard, description] = [memberOf(property, 'default'), memberOf(property, 'description')]
    const value = standard === undefined ? '' : ` = ${JSON.stringify(standard)}`
    return `${name}${value}${typeof description === 'string' ? `: ${description}` : ''}`
  })
  return texts.join(' ') || NO_OPTIONS
}

const memberOf = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
