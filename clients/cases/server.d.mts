/** The types of server.mjs. README.md describes each field. */
export interface Table {
  readonly inputs: Readonly<Record<Operation, unknown>>
  readonly answers: Readonly<Record<string, Answer>>
  readonly cases: readonly Case[]
}

export type Operation = 'select' | 'claim' | 'confirm' | 'report'

export interface Case {
  readonly name: string
  readonly client?: {
    readonly deadlineMs?: number
    readonly attemptMs?: number
    readonly isHedging?: boolean
    readonly keys?: readonly string[]
  }
  readonly endpoints: readonly {
    readonly gone?: boolean
    readonly answers?: readonly (string | Answer)[]
    readonly otherwise?: string | Answer
  }[]
  readonly calls: readonly Call[]
}

export interface Call {
  readonly operation: Operation
  readonly times?: number
  readonly idempotencyKey?: string
  readonly paddingBytes?: number
  readonly expect: Expectation
}

export interface Expectation {
  readonly answer?: string
  readonly error?: 'UNREACHABLE' | 'PROTOCOL' | 'FAULT' | 'UNKNOWN_OUTCOME'
  readonly claim?: string
  readonly replayed?: boolean
  readonly code?: string
  readonly status?: number
  readonly idempotencyKey?: string
  readonly cause?: Expectation
  readonly order?: readonly number[]
  readonly receivedBy?: readonly number[]
  readonly atLeast?: readonly number[]
  readonly total?: number
  readonly authorization?: readonly string[]
  readonly sequences?: readonly number[]
  readonly pauses?: readonly { readonly atLeastMs?: number; readonly lessThanMs?: number }[]
  readonly closedByClient?: readonly (readonly [endpoint: number, call: number])[]
}

export interface Answer {
  readonly answer?: string
  readonly times?: number
  readonly until?: readonly Event[]
  readonly forMs?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly data?: unknown
  readonly errors?: readonly unknown[]
  readonly text?: string
  readonly connection?:
    | 'answered before reading'
    | 'closed before reading'
    | 'closed after reading'
    | 'closed in the middle'
    | 'never answered'
  readonly clockAheadMs?: number
  readonly retryAtSeconds?: number
  readonly leaves?: boolean
}

export interface Event {
  readonly endpoint: number
  readonly call: number
  readonly event: 'received' | 'answered' | 'closed'
}

/** A call that an endpoint received. The fields from `operation` on are absent if the connection was closed before the call was read. */
export interface CallRecord {
  readonly endpoint: number
  readonly call: number
  readonly isExpected: boolean
  readonly authorization?: string
  readonly isAnswered: boolean
  readonly closedByClient: boolean
  readonly receivedAtMs: number
  readonly answeredAtMs?: number
  readonly operation?: string
  readonly idempotencyKey?: string
  readonly reporter?: { readonly incarnation: string; readonly sequence: number }
  readonly variables?: unknown
}

export interface Played {
  readonly urls: readonly string[]
  readonly control: string
  close(): Promise<void>
}

export function readTable(file?: string): Table
export function playCase(table: Table, name: string): Promise<Played>
