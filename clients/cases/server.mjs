// Plays one case of the table cases.json: listens on loopback ports as the endpoints of the case, answers their calls as the case says, and
// records each call. README.md in this folder describes the format.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'

const TABLE = fileURLToPath(new URL('cases.json', import.meta.url))
const LOOPBACK = '127.0.0.1'
/** How long /wait waits for an event. */
const WAIT_MS = 60_000
/** The content type of answers, unless an answer has its own. */
const CONTENT_TYPE = 'application/graphql-response+json'

/** Reads the table. Throws if two cases have the same name. */
export function readTable(file = TABLE) {
  const table = JSON.parse(readFileSync(file, 'utf8'))
  const names = table.cases.map(({ name }) => name)
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  if (repeated !== undefined) throw new Error(`two cases have the name ${JSON.stringify(repeated)}; each case must have its own name`)
  return table
}

/**
 * Starts the endpoints and the control server of a case. `urls` are the endpoints in the order of the case, `control` is the address of the
 * control server, and `close` ends all of them.
 */
export async function playCase(table, name) {
  const played = table.cases.find((one) => one.name === name)
  if (played === undefined) throw new Error(`no case has the name ${JSON.stringify(name)}; cases.json lists the names`)
  const events = createEvents()
  const records = []
  const endpoints = await Promise.all(
    played.endpoints.map((endpoint, index) => startEndpoint({ answers: table.answers, endpoint, index, events, records })),
  )
  const control = await startControl(records, events)
  return {
    urls: endpoints.map(({ url }) => url),
    control: control.url,
    async close() {
      events.end()
      await Promise.all([control.close(), ...endpoints.map((endpoint) => endpoint.close())])
    },
  }
}

/** The events of a case. `until` resolves when an event has happened, also if it happened earlier. */
function createEvents() {
  const happened = new Set()
  const waiting = new Map()
  const keyOf = ({ endpoint, call, event }) => `${endpoint} ${call} ${event}`
  return {
    report(event) {
      const key = keyOf(event)
      happened.add(key)
      for (const resolve of waiting.get(key) ?? []) resolve()
      waiting.delete(key)
    },
    until: (event) =>
      new Promise((resolve) => {
        const key = keyOf(event)
        if (happened.has(key)) resolve()
        else waiting.set(key, [...(waiting.get(key) ?? []), resolve])
      }),
    /** Ends all waits, so that nothing keeps the process running. */
    end() {
      for (const each of waiting.values()) for (const resolve of each) resolve()
    },
  }
}

/** Starts an endpoint. An endpoint that is `gone` has a port on which nothing listens. */
async function startEndpoint({ answers, endpoint, index, events, records }) {
  const script = scriptOf(endpoint, answers)
  let calls = 0
  const port = await openPort((request, response) => {
    const call = ++calls
    const answer = script(call)
    const event = (name) => events.report({ endpoint: index, call, event: name })
    const record = { endpoint: index, call, authorization: keyOf(request), closedByClient: false, isAnswered: false, receivedAtMs: now() }
    record.isExpected = answer !== undefined
    records.push(record)
    response.once('close', () => {
      record.closedByClient = !record.isAnswered
      event('closed')
    })
    if (answer?.connection === 'closed before reading') {
      markAnswered(record)
      event('received')
      request.socket.destroy()
      return
    }
    if (answer?.connection === 'answered before reading') {
      send(answer, { request, response, record, port })
      event('received')
      event('answered')
      // Nothing of the call is kept. It is read nevertheless, because a client that cannot send the rest may not read the answer.
      request.resume()
      return
    }
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', async () => {
      Object.assign(record, readCall(Buffer.concat(parts).toString('utf8')))
      event('received')
      for (const other of answer?.until ?? []) await events.until(other)
      if (answer?.forMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.forMs))
      send(answer ?? UNEXPECTED, { request, response, record, port })
      event('answered')
    })
  })
  if (endpoint.gone) port.leave()
  return { url: port.url, close: port.close }
}

/** Milliseconds since an arbitrary time, for the pauses between calls. */
const now = () => performance.now()

const markAnswered = (record) => Object.assign(record, { isAnswered: true, answeredAtMs: now() })

/** The answer to a call that the case does not expect. */
const UNEXPECTED = {
  status: 500,
  errors: [{ message: 'the case has no answer for this call', extensions: { code: 'UNEXPECTED_CALL' } }],
}

/** Returns the answer to the call of this number, counted from 1, or undefined if the case has none. */
function scriptOf({ answers = [], otherwise }, named) {
  const resolve = (given) => {
    const { answer, times: _, ...own } = typeof given === 'string' ? { answer: given } : given
    if (answer !== undefined && named[answer] === undefined) throw new Error(`no answer has the name ${JSON.stringify(answer)}`)
    return { ...named[answer], ...own }
  }
  const inOrder = answers.flatMap((given) => Array.from({ length: given.times ?? 1 }, () => resolve(given)))
  const last = otherwise === undefined ? undefined : resolve(otherwise)
  return (call) => inOrder[call - 1] ?? last
}

/** Sends an answer, or does to the connection what the answer says. */
function send(answer, { request, response, record, port }) {
  const { connection } = answer
  if (connection === 'never answered' || response.destroyed) return
  markAnswered(record)
  if (connection === 'closed after reading') request.socket.destroy()
  else {
    const { status = 200, headers = {}, data, errors, text = JSON.stringify({ ...(data && { data }), ...(errors && { errors }) }) } = answer
    const whole = Buffer.from(text)
    const clock = Date.now() + (answer.clockAheadMs ?? 0)
    response.writeHead(status, {
      'content-type': CONTENT_TYPE,
      'content-length': whole.length,
      date: new Date(clock).toUTCString(),
      ...(answer.retryAtSeconds !== undefined && { 'retry-after': new Date(clock + answer.retryAtSeconds * 1_000).toUTCString() }),
      ...headers,
    })
    if (connection === 'closed in the middle') response.write(whole.subarray(0, whole.length / 2), () => request.socket.destroy())
    else response.end(whole)
  }
  if (answer.leaves) {
    if (response.writableFinished || response.destroyed) port.leave()
    else response.once('close', port.leave)
  }
}

/** The parts of a call that cases are about. */
function readCall(text) {
  const { query, variables } = JSON.parse(text)
  return {
    operation: /(?:mutation|query|subscription)\s+(\w+)/.exec(query ?? '')?.[1],
    idempotencyKey: findIn(variables, 'idempotencyKey') ?? (typeof variables?.key === 'string' ? variables.key : undefined),
    reporter: findIn(variables, 'reporter'),
    variables,
  }
}

/** Returns the first value under this name in nested objects and lists, or undefined. */
function findIn(value, name) {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, name)) return value[name]
  for (const inner of Object.values(value)) {
    const found = findIn(inner, name)
    if (found !== undefined) return found
  }
  return undefined
}

const keyOf = ({ headers: { authorization } }) => authorization?.replace(/^Bearer /, '')

/** Serves the records at /records, and waits for an event at /wait?endpoint=0&call=1&event=closed. */
async function startControl(records, events) {
  const { url, close } = await openPort(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://control')
    if (pathname === '/wait') {
      const event = { endpoint: searchParams.get('endpoint'), call: searchParams.get('call'), event: searchParams.get('event') }
      if (!(await happensInTime(events.until(event)))) {
        response.writeHead(504).end(`the event did not happen within ${WAIT_MS / 1000} s; the client has not made or not closed this call`)
        return
      }
    } else if (pathname !== '/records') {
      response.writeHead(404).end(`${pathname} is unknown; it must be /records or /wait`)
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ records }))
  })
  return { url: url.replace('/graphql', ''), close }
}

async function happensInTime(event) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, false)
  })
  const inTime = await Promise.race([event.then(() => true), late])
  clearTimeout(timer)
  return inTime
}

/**
 * Serves HTTP on a free port of the loopback. After `leave` the port refuses connections. Until `close` no other program gets the port,
 * because one connection to it stays open: systems draw no port that a connection uses.
 */
async function openPort(serve) {
  const http = createHttpServer(serve)
  const server = createServer()
  await once(server.listen(0, LOOPBACK), 'listening')
  const { port } = server.address()
  const own = connect(port, LOOPBACK)
  const [held] = await once(server, 'connection')
  const connections = new Set()
  server.on('connection', (connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
    http.emit('connection', connection)
  })
  const leave = () => {
    server.close()
    for (const connection of connections) connection.destroy()
  }
  return {
    url: `http://${LOOPBACK}:${port}/graphql`,
    leave,
    async close() {
      const ended = once(server, 'close')
      leave()
      own.destroy()
      held.destroy()
      await ended
    },
  }
}

/** The command: `node server.mjs NAME` prints the addresses as one line of JSON, and ends when its standard input ends. */
async function run([name]) {
  const table = readTable()
  if (name === undefined) throw new Error(`usage: node server.mjs NAME; the names are:\n${table.cases.map((one) => one.name).join('\n')}`)
  const { urls, control, close: end } = await playCase(table, name)
  process.stdout.write(`${JSON.stringify({ urls, control })}\n`)
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.stdin.destroy())
  process.stdin.once('close', end).resume()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await run(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
