import { createHash } from 'node:crypto'
import http from 'node:http'
import { createRandom, type Random } from '@gantt/scheduler-core'
import {
  type Chosen,
  claimCall,
  drawWork,
  type HeldClaim,
  type Mix,
  type Read,
  readAnswer,
  releaseCall,
  reportCall,
  reportOf,
  type Sent,
  selectCall,
} from './calls.ts'
import type { Tally } from './tally.ts'

export interface CallersOptions {
  readonly url: string
  readonly key: string
  /** How many callers there are. Each makes its calls one after the other, over a connection of its own. */
  readonly callers: number
  /** How many operations a caller sends in one request. Absent: one. */
  readonly operations?: number
  readonly seed: string
  readonly tally: Tally
}

export interface WorkOptions extends CallersOptions {
  readonly mix: Mix
  /** How many hosts there are. */
  readonly hosts: number
  /** How many hosts a report or a heartbeat contains. Absent: one. */
  readonly batch?: number
}

/** Callers that make calls until they are stopped. */
export interface Callers {
  /** Waits for the answers to the calls in progress, and ends. */
  stop(): Promise<void>
  /** The claims that the callers got and have not released. Complete after `stop`. */
  readonly held: ReadonlyMap<string, HeldClaim>
}

type Call = (sent: Sent) => Promise<Read>

/** Starts callers that place, claim, release and report by the shares of the mix. */
export function startWork(options: WorkOptions): Callers {
  const { mix, hosts, batch = 1, seed } = options
  const callers = options.callers * (options.operations ?? 1)
  if (mix.report + mix.heartbeat > 0 && hosts < callers * batch)
    throw new RangeError(`there are ${hosts} hosts and ${callers} callers at the same time; each needs ${batch} hosts that it reports`)
  const held = new Map<string, HeldClaim>()
  return start(options, held, (call, caller) => {
    const random = createRandom(`${seed} caller ${caller}`)
    const own: HeldClaim[] = []
    const reported = new Map<number, { sequence: number; content: number }>()
    let calls = 0
    const keep = ({ claim }: Read): void => {
      if (claim === undefined) return
      own.push(claim)
      held.set(claim.id, claim)
    }
    const place = async (isClaimed: boolean): Promise<Chosen | undefined> => {
      const read = await call(selectCall(random, `${seed} ${caller} ${calls++}`, isClaimed))
      keep(read)
      return read.chosen
    }
    const release = async (claim: HeldClaim): Promise<void> => {
      const { failure } = await call(releaseCall(claim))
      if (failure === undefined) held.delete(claim.id)
    }
    /** Each host is reported by one caller only, so that its reports arrive in the order of their sequences. */
    const report = async (kind: 'report' | 'heartbeat'): Promise<void> => {
      const updates = drawOwn(random, { caller, callers, hosts, batch }).map((host) => {
        const { sequence, content } = reported.get(host) ?? { sequence: 1, content: 1 }
        const next = { sequence: sequence + 1, content: kind === 'report' ? content + 1 : content }
        reported.set(host, next)
        return reportOf(host, next.sequence, next.content)
      })
      await call(reportCall(updates, kind))
    }
    return async () => {
      const work = drawWork(random, mix)
      if (work === 'report' || work === 'heartbeat') return await report(work)
      const claim = work === 'release' ? own.splice(random.below(Math.max(1, own.length)), 1)[0] : undefined
      if (claim !== undefined) return await release(claim)
      const chosen = await place(work !== 'claim')
      if (work === 'claim' && chosen !== undefined) keep(await call(claimCall(`${seed} ${caller} ${calls++}`, chosen)))
    }
  })
}

interface Owned extends Pick<WorkOptions, 'callers' | 'hosts'> {
  readonly batch: number
  readonly caller: number
}

/** Successive hosts, beginning anywhere, of those whose number leaves the remainder `caller` when divided by the number of callers. */
function drawOwn(random: Random, { caller, callers, hosts, batch }: Owned): readonly number[] {
  const own = Math.ceil((hosts - caller) / callers)
  const first = random.below(own)
  return Array.from({ length: batch }, (_, i) => caller + callers * ((first + i) % own))
}

/** Starts callers that always make the same call. */
export const startSame = (options: CallersOptions, sent: Sent): Callers =>
  start(options, new Map(), (call) => async () => void (await call(sent)))

function start(
  { url, key, callers, operations = 1, tally }: CallersOptions,
  held: Map<string, HeldClaim>,
  createCaller: (call: Call, caller: number) => () => Promise<void>,
): Callers {
  const agent = new http.Agent({ keepAlive: true, maxSockets: callers })
  const send = (body: unknown): Promise<Answered> => post(url, key, agent, JSON.stringify(body))
  const alone: Send = ({ document, variables }) => send({ query: document, variables })
  let isStopped = false
  const running = Array.from({ length: callers }, async (_, caller) => {
    const group = operations === 1 ? undefined : createGroup(operations, alone, send)
    const call: Call = async (sent) => {
      const beganAt = performance.now()
      const { status, text } = await (group?.send ?? alone)(sent)
      const read = readAnswer(sent.kind, status, text)
      tally.add(sent.kind, beganAt, read)
      return read
    }
    const members = Array.from({ length: operations }, async (_none, member) => {
      const work = createCaller(call, caller * operations + member)
      while (!isStopped) await work()
      group?.leave()
    })
    await Promise.all(members)
  })
  return {
    held,
    async stop() {
      isStopped = true
      await Promise.all(running)
      agent.destroy()
    },
  }
}

interface Answered {
  readonly status: number
  readonly text: string
}
type Send = (sent: Sent) => Promise<Answered>

/**
 * The members of a caller that sends several operations in one request: each request has one operation of each member. A document is sent
 * alone until the service has answered it once, because lists may only have documents that the service knows.
 */
function createGroup(members: number, alone: Send, sendList: (body: unknown) => Promise<Answered>) {
  const known = new Map<string, string>()
  let waiting: { readonly sent: Sent; readonly documentId: string; resolve(answered: Answered): void }[] = []
  let count = members
  const sendIfComplete = (): void => {
    if (waiting.length === 0 || waiting.length < count) return
    const batch = waiting
    waiting = []
    void sendList(batch.map(({ sent: { variables }, documentId }) => ({ documentId, variables }))).then(({ status, text }) => {
      const answers = status === 200 ? (JSON.parse(text) as readonly object[]) : []
      // an answer to the whole request is the answer to each operation
      for (const [i, { resolve }] of batch.entries())
        resolve(answers[i] === undefined ? { status, text } : { status, text: JSON.stringify(answers[i]) })
    })
  }
  return {
    async send(sent: Sent): Promise<Answered> {
      const documentId = known.get(sent.document)
      if (documentId !== undefined)
        return await new Promise((resolve) => {
          waiting.push({ sent, documentId, resolve })
          sendIfComplete()
        })
      const answered = await alone(sent)
      if (answered.status === 200) known.set(sent.document, `sha256:${createHash('sha256').update(sent.document).digest('hex')}`)
      return answered
    },
    /** A member has ended, so that the others no longer wait for it. */
    leave(): void {
      count--
      sendIfComplete()
    },
  }
}

/** A call without an answer fails after this time. */
const ANSWER_MS = 60_000

/** Sends a body. If there is no answer, the status is 0, and the text says why. */
const post = (url: string, key: string, agent: http.Agent, body: string): Promise<Answered> =>
  new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), authorization: `Bearer ${key}` }
    const fail = (error: Error): void => resolve({ status: 0, text: error.message })
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.once('error', fail)
    })
    request.once('error', fail)
    request.setTimeout(ANSWER_MS, () => request.destroy(new Error(`no answer within ${ANSWER_MS} ms`)))
    request.end(body)
  })
