import type { MessagePort } from 'node:worker_threads'
import type { PartKind } from '@gantt/scheduler-core'
import type { Asked, WireDocuments, WireQuestion } from './asker.ts'

/**
 * The properties of each kind of part (such as filters) that a thread needs, by the name of the list that contains these parts in a
 * plug-in.
 */
export type ThreadKinds = Readonly<Record<string, Pick<PartKind, 'asked' | 'shows' | 'schema' | 'beyond'>>>

/** A plug-in's description of itself. Its functions stay in the thread. */
export interface Described {
  readonly contract: unknown
  readonly name: unknown
  readonly version: unknown
  readonly description: unknown
  readonly resourceKinds?: unknown
  /** The kinds of parts in this plug-in that can only be called in the process of the service. */
  readonly inProcess: readonly string[]
  /** The parts that can be called in a thread, in one list for each kind. */
  readonly lists: Readonly<Record<string, readonly DescribedPart[]>>
}

/** The members of a part that are sent unchanged. `schema` is the converted schema. */
export interface DescribedPart extends Readonly<Record<string, unknown>> {
  /** Members that a part in a thread must not have. */
  readonly beyond: readonly string[]
  /** The schema as JSON Schema. Null if the part has none; undefined if its value is not a schema. */
  readonly schema?: unknown
}

export type FromThread =
  | { readonly type: 'loaded'; readonly plugin: string }
  | { readonly type: 'failed'; readonly message: string }
  /** The answers as JSON. */
  | { readonly type: 'answer'; readonly id: number; readonly text: string }
  | { readonly type: 'error'; readonly id: number; readonly message: string }

export interface ToThread {
  readonly id: number
  readonly question: Asked
}

/**
 * The code of a plug-in's thread. It loads the plug-in, describes it, and answers one call after the other. It is passed as text, so that a
 * bundle needs no separate file for it. Therefore it may use nothing but its arguments. It does not trust the plug-in, and the main thread
 * does not trust the thread.
 */
export function work(port: MessagePort, load: () => Promise<Readonly<Record<string, unknown>>>, most: number, kinds: ThreadKinds): void {
  type Loose = Readonly<Record<string, unknown>>
  type Call = (...args: readonly unknown[]) => unknown
  const { stringify } = JSON
  const { isFinite: isFiniteNumber } = Number
  const send = (message: FromThread): void => port.postMessage(message)
  const wordsOf = (error: unknown): string => {
    try {
      return String(error instanceof Error ? error.message : error).slice(0, most)
    } catch {
      return 'a value that cannot be converted to text'
    }
  }
  const kindOf = (value: unknown): string => {
    if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number') return String(value)
    if (typeof value === 'string') return stringify(value.slice(0, 40))
    if (Array.isArray(value)) return `a list of ${value.length}`
    return typeof value === 'object' ? (typeof (value as Loose).then === 'function' ? 'a promise' : 'an object') : `a ${typeof value}`
  }
  const listOf = (value: unknown): readonly Loose[] =>
    Array.isArray(value) ? value.filter((item) => item !== null && typeof item === 'object') : []

  const describePart = (part: Loose, { shows, schema = '', beyond }: ThreadKinds[string]): DescribedPart => {
    const given = part[schema] as { readonly '~standard'?: { readonly jsonSchema?: { input(options: Loose): unknown } } } | undefined
    return {
      ...Object.fromEntries(shows.map((member) => [member, typeof part[member] === 'function' ? 'a function' : part[member]])),
      beyond: beyond.filter((member) => part[member] !== undefined),
      schema: given === undefined ? null : given?.['~standard']?.jsonSchema?.input({ target: 'draft-2020-12' }),
    }
  }

  /** An object that throws if code reads a member that it does not have, because `undefined` would cause an error only later. */
  const shownOnly = (title: string, members: Loose): Loose =>
    new Proxy(members, {
      get(target, key) {
        if (typeof key === 'symbol' || key in target) return Reflect.get(target, key)
        throw new TypeError(`${title}.${key} is not shown to a part that is isolated; it may read ${Object.keys(members).join(', ')}`)
      },
    })

  /** Hosts in the form of the contract for filters and weighers, with the members that are sent to the thread. */
  const fleetOf = (hosts: WireQuestion['hosts']) => {
    const records = hosts.map(({ traits, namespaces, instances: _i, ioOps: _o, free: _f, ...host }, index) => ({
      ...host,
      index,
      traits: new Set(traits),
      namespaces: new Map(Object.entries(namespaces)),
    }))
    const names = new Set(hosts.flatMap(({ free }) => Object.keys(free)))
    const freeOf = (name: string) => Float64Array.from(hosts, ({ free }) => free[name] ?? 0)
    const reported = (name: string) => Uint8Array.from(hosts, ({ free }) => (free[name] === undefined ? 0 : 1))
    const ofClass = (name: string) => shownOnly(`hosts.classes of ${name}`, { free: freeOf(name), reported: reported(name) })
    const table = {
      records,
      count: records.length,
      columns: shownOnly('hosts.columns', {
        instances: Int32Array.from(hosts, ({ instances }) => instances),
        ioOps: Int32Array.from(hosts, ({ ioOps }) => ioOps),
      }),
      classes: new Map([...names].map((name) => [name, ofClass(name)])),
      get(index: number) {
        const record = records[index]
        if (record === undefined) throw new RangeError(`host index ${index} is out of range; there are ${records.length} hosts`)
        return record
      },
      find: (name: { readonly host: string; readonly node?: string }) =>
        records.find(({ host, node }) => host === name.host && node === (name.node ?? name.host)),
    }
    return shownOnly('fleet', { hosts: shownOnly('hosts', table) })
  }

  const answerFilter = (part: Loose, { request, parameters, hosts }: WireQuestion): unknown => {
    const prepared = (part.prepare as Call)(request, fleetOf(hosts), parameters) as Loose | undefined
    if (prepared === undefined) return null
    if (prepared === null || typeof prepared.passes !== 'function' || typeof prepared.reason !== 'function')
      throw new Error(`prepare returned ${kindOf(prepared)}; it must return passes and reason, or undefined`)
    return hosts.map((_host, index) => {
      try {
        const verdict = (prepared.passes as Call)(index)
        if (verdict === true) return true
        if (verdict !== false) return { error: `passes returned ${kindOf(verdict)}; it must return true or false` }
        const reason = (prepared.reason as Call)(index)
        return reason !== null && typeof reason === 'object'
          ? { ...reason }
          : { error: `reason returned ${kindOf(reason)}; it must return a code` }
      } catch (error) {
        return { error: wordsOf(error) }
      }
    })
  }

  const answerWeigher = (part: Loose, { request, parameters, hosts, multiplier }: WireQuestion): unknown => {
    const rawOf = (part.prepare as Call)(request, fleetOf(hosts), parameters, multiplier)
    if (typeof rawOf !== 'function') throw new Error(`prepare returned ${kindOf(rawOf)}; it must return a function`)
    return hosts.map((_host, index) => {
      try {
        const raw: unknown = (rawOf as Call)(index)
        return typeof raw === 'number' && isFiniteNumber(raw)
          ? raw
          : { error: `it returned ${kindOf(raw)} for a host; it must return a finite number` }
      } catch (error) {
        return { error: wordsOf(error) }
      }
    })
  }

  /** Returns true or a problem for each document. A schema can only change the thread's copy of a document. */
  const answerNamespace = (part: Loose, { documents }: WireDocuments): unknown =>
    documents.map((document) => {
      try {
        const schema = part.document as { safeParse(value: unknown): unknown }
        const answer = schema.safeParse(document) as { success?: unknown; error?: { issues?: unknown } } | null | undefined
        if (answer?.success === true) return true
        const issues = answer?.success === false ? listOf(answer.error?.issues) : []
        if (issues.length === 0) return { error: `safeParse returned ${kindOf(answer)}; it must return success, or issues` }
        return {
          issues: issues.slice(0, 20).map(({ message, path }) => ({
            message: wordsOf(message),
            path: (Array.isArray(path) ? path : []).slice(0, 20).map(wordsOf),
          })),
        }
      } catch (error) {
        return { error: wordsOf(error) }
      }
    })

  const answer = (part: Loose, question: Asked): unknown => {
    if (question.kind === 'namespace') return answerNamespace(part, question as WireDocuments)
    return question.kind === 'filter' ? answerFilter(part, question as WireQuestion) : answerWeigher(part, question as WireQuestion)
  }

  load().then(
    (module) => {
      const plugin = module.default
      if (plugin === null || typeof plugin !== 'object') {
        const exported = Object.keys(module).join(', ') || 'nothing'
        return send({ type: 'failed', message: `it exports ${exported}; its default export must be what definePlugin returns` })
      }
      const { contract, name, version, description, resourceKinds, ...lists } = plugin as Loose
      const asked = Object.entries(kinds).filter(([, kind]) => kind.asked !== undefined)
      const parts = new Map<unknown, Loose>(asked.flatMap(([list]) => listOf(lists[list]).map((part) => [part.name, part])))
      const described: Described = {
        contract,
        name,
        version,
        description,
        resourceKinds,
        inProcess: Object.keys(kinds).filter((list) => kinds[list]?.asked === undefined && listOf(lists[list]).length > 0),
        lists: Object.fromEntries(asked.map(([list, kind]) => [list, listOf(lists[list]).map((part) => describePart(part, kind))])),
      }
      port.on('message', ({ id, question }: ToThread) => {
        try {
          const part = parts.get(question.part)
          if (part === undefined) throw new Error(`the plug-in has no ${question.part}`)
          send({ type: 'answer', id, text: stringify(answer(part, question)) })
        } catch (error) {
          send({ type: 'error', id, message: wordsOf(error) })
        }
      })
      send({ type: 'loaded', plugin: stringify(described) })
    },
    (error: unknown) => send({ type: 'failed', message: wordsOf(error) }),
  )
}
