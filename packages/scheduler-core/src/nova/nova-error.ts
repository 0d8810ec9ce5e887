export { NovaError, type NovaErrorKind, type NovaFacts } from './text/nova-error.ts'
