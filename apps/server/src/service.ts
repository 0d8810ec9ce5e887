import { randomUUID } from 'node:crypto'
import os from 'node:os'
import { countCollectors, WarningCounter } from '@gantt/scheduler-core'
import type pg from 'pg'
import type { LivenessSettings } from './config.ts'
import { DEFAULT_LIVENESS } from './config.ts'
import { askedAnyway, type DatabaseWatch, watchDatabase } from './db/database-watch.ts'
import { migrate } from './db/migrate.ts'
import { createPrisma } from './db/prisma.ts'
import { createTableWriter } from './db/table-writer.ts'
import { createAuditStore } from './db/tables/audit.ts'
import { createProjectionStore } from './db/tables/projections.ts'
import { PACKED_LEVEL } from './db/tables/receipts.ts'
import { createRolloutStore } from './db/tables/rollouts.ts'
import type { SetAside } from './db/tables/set-aside.ts'
import { type EngineOptions, openEngine } from './engine.ts'
import { runYielding } from './event-loop/pauses.ts'
import { consoleFolder, createConsole } from './http/console.ts'
import { readDocuments } from './http/graphql/documents.ts'
import { createGraphql } from './http/graphql/graphql.ts'
import { metricsText } from './http/metrics.ts'
import { startHttpServer } from './http/server.ts'
import { openProvidedLiveness } from './liveness/provided.ts'
import { createReportsLiveness } from './liveness/reports.ts'
import { createStaticLiveness } from './liveness/static.ts'
import { breakAfter, checkIntervalOf, createLivenessWatcher, type LivenessWatcher } from './liveness/watcher.ts'
import { watchPauses } from './longest-pause.ts'
import { openRecords } from './open-records.ts'
import { type FoundProvider, findProvider } from './plugin/find-provider.ts'
import { openPlugins } from './plugin/open-plugins.ts'
import { gatherAnswers } from './plugin/outside/gather-answers.ts'
import { nothingOutside } from './plugin/outside/outside.ts'
import type { PluginSetting } from './plugin/settings.ts'
import { DEFAULT_PLUGIN_TIMEOUT_MS } from './plugin/settings.ts'
import { createDecisionFeed } from './replica/follow/decision-feed.ts'
import { createHistory } from './replica/follow/history.ts'
import { KEPT_THINGS } from './replica/follow/past-fleets.ts'
import { createProjector } from './replica/follow/projector.ts'
import { Replica } from './replica/replica.ts'
import type { ReplicaOptions } from './replica/replica-options.ts'
import { createRolloutFindings } from './replica/rollout/rollout-findings.ts'
import { createShadow } from './replica/rollout/shadow.ts'
import type { Registry } from './replica/watch/registry.ts'
import { type Registered, registerReplica } from './replica/watch/status.ts'
import { createSchema } from './schema/index.ts'
import { createAudit } from './services/audit/audit.ts'
import { createLogReader } from './services/fleet/log.ts'
import type { Listening } from './services/host/liveness.ts'
import { degradedOf } from './services/replica/health.ts'
import type { Setting } from './services/replica/settings.ts'
import { createServices } from './services/services.ts'
import { askRequest, createAskSolver, createSolve, gatherSolution } from './solver/ask-solver.ts'
import { createSolver } from './solver/solver.ts'
import { type ApiKeyStore, drawSecret, scopes } from './stores/api-keys.ts'
import type { LeaseStore } from './stores/leases.ts'
import { DEFAULT_RECORD_BYTES } from './stores/records.ts'
import type { SharedFlush } from './sync/flushing.ts'
import type { NatsAddress } from './sync/nats/address.ts'
import type { Horizon } from './sync/retention.ts'
import { DEFAULT_HORIZON } from './sync/retention.ts'
import { realTimers } from './timers.ts'
import { waitForStore } from './wait-for-store.ts'

export interface ServiceOptions {
  /** The connection to a migrated database. With NATS, the database may be unavailable, and is migrated once it is available. */
  readonly connection: pg.ClientConfig
  readonly host: string
  /** The port; 0: any free port. */
  readonly port: number
  /** Accepted as an admin key, in addition to the existing ones. */
  readonly adminKey?: string | undefined
  /** The retention limits of the log. */
  readonly horizon?: Horizon
  /** The NATS cluster that stores the log and the other stores; absent: the database stores them. */
  readonly nats?: NatsAddress | undefined
  /** The maximum size in bytes of data that waits in NATS for the database. */
  readonly recordBytes?: number
  /** For a log in the database: `on` if one flush to the disk serves all calls that wait for it. Absent: `off`. */
  readonly sharedFlush?: SharedFlush
  /** The highest feature level that this replica supports, announces and writes. Absent: that of the release. */
  readonly featureLevel?: number
  /** How liveness is determined. Absent: no signs of life are received, and hosts that are DOWN stay DOWN. */
  readonly liveness?: LivenessSettings & {
    /** The interval of liveness checks in milliseconds, instead of the one that follows from the settings. 0: checks on request only. */
    readonly checkIntervalMs?: number
  }
  /** How long a host's list of instances may lag behind the claims before the auditor reports it, in milliseconds. Absent: an hour. */
  readonly unlistedAfterMs?: number
  /** Plug-ins that are loaded in addition to those of the release. Absent: none. */
  readonly plugins?: readonly PluginSetting[]
  /** The timeout of a plug-in or extender, milliseconds. */
  readonly pluginTimeoutMs?: number
  /** A file that describes extenders. */
  readonly extenders?: string | undefined
  /** The settings of the process, as the API shows them. Absent: none. */
  readonly settings?: readonly Setting[]
  /** Aborts a start that waits for its store, with StoppedError. */
  readonly stopped?: AbortSignal
  /** Warns operators about errors. Messages contain no data of callers. */
  warn(message: string): void
}

export interface Service {
  readonly url: string
  /** The generated admin key, if this start created the first one; it is shown once. */
  readonly newAdminKey: string | undefined
  readonly replica: Replica
  readonly keys: ApiKeyStore
  /** Watches whether hosts are alive. */
  readonly watcher: LivenessWatcher
  /** Answers running calls, then disconnects from the log and the database. */
  close(): Promise<void>
}

const ADMIN_ACCOUNT = 'admin'

/**
 * Opens everything between a database and a port: keys, log, replica, projections, API. With NATS, the service waits for servers that do
 * not answer or have no leader, and is not ready until then. If a step fails, everything that was opened is closed.
 */
export async function openService({
  connection,
  host,
  port,
  adminKey,
  horizon = DEFAULT_HORIZON,
  nats,
  recordBytes = DEFAULT_RECORD_BYTES,
  sharedFlush = 'off',
  featureLevel,
  liveness,
  unlistedAfterMs,
  plugins: pluginSettings = [],
  pluginTimeoutMs: timeoutMs = DEFAULT_PLUGIN_TIMEOUT_MS,
  extenders,
  settings = [],
  stopped = new AbortController().signal,
  warn,
}: ServiceOptions): Promise<Service> {
  const opened: (() => Promise<void> | void)[] = []
  const closeAll = async (): Promise<void> => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close()
  }
  try {
    // Plug-ins are loaded first. If one of them cannot be loaded, the start fails before anything else is opened.
    const { plugins, outside, documents, ...loaded } = await openPlugins(pluginSettings, { warn, now: Date.now, timeoutMs, extenders })
    opened.push(() => loaded.close())
    const provider = findProvider(loaded.loaded, liveness?.source)
    const server = await startHttpServer({ host, port, warn })
    opened.push(() => server.close())
    const waiting = { stopped, warn, onAway: (reason: string) => server.starting(reason) }
    // without NATS the service needs only its database, which was available a moment ago
    const whenReachable = <T>(work: () => Promise<T>): Promise<T> => (nats === undefined ? work() : waitForStore(work, waiting))
    const database =
      nats === undefined ? askedAnyway : await watchDatabase(connection, { prepare: async () => void (await migrate(connection)), warn })
    opened.push(() => database.close())
    const prisma = createPrisma(connection, database)
    opened.push(() => prisma.$disconnect())
    const writer = createTableWriter(connection, database)
    opened.push(() => writer.close())

    let registry: Registry | undefined
    const mayPack = (): boolean => registry?.isReadByAll(PACKED_LEVEL) ?? false
    const onSetAside = ({ kind, id, revision, reason }: SetAside): void =>
      warn(`the projections continue without ${kind} ${id} of revision ${revision}, which the database refuses: ${reason}`)
    const projections = createProjectionStore({ prisma, writer, mayPack, onSetAside })
    const name = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`
    /**
     * The revision that the tables have reached, as far as is known. It only grows, so the log may be trimmed up to it while the database
     * is unavailable.
     */
    let reached = 0
    const solver = createSolver()
    opened.push(() => solver.close())
    const solve = createSolve(solver, realTimers)
    const simulatedSolver = createSolver()
    opened.push(() => simulatedSolver.close())
    const gatherSolved = gatherSolution(askRequest(solve))
    const gather = outside === undefined ? gatherSolved : gatherAnswers(outside, gatherSolved, realTimers)
    const { store, stores, records, registered, replica } = await whenReachable(() =>
      openShared({
        engine: {
          ...{ connection, prisma, writer, database, nats, sharedFlush, recordBytes, name, mayPack, onSetAside, warn },
          reached: async () => {
            if (database.away === undefined) reached = (await projections.position()).revision
            return reached
          },
          followed: () => projections.position(),
        },
        database,
        unlistedAfterMs,
        replica: { name, warn, horizon, gather, plugins, readsUpTo: featureLevel },
      }),
    )
    opened.push(() => stores.close())
    registry = registered.registry
    const { keys } = stores
    const audit = createAudit({ records: stores.records, store: createAuditStore(prisma), warn })
    opened.push(() => audit.close())
    opened.push(() => registered.close())
    opened.push(() => replica.close())
    const status = registered.follow(replica)
    const history = createHistory(store.past, KEPT_THINGS, replica.fleet)
    opened.push(() => history.close())
    opened.push(replica.onSnapshot((snapshot) => history.keep(snapshot)))
    const projector = createProjector(replica, projections, { history, log: store, warn })
    opened.push(() => projector.close())
    const stopFeed = projector.onDecision(records.publish)
    opened.push(() => stopFeed())
    const rollouts = createRolloutStore(prisma)
    const findings = createRolloutFindings({ store: rollouts, replica: replica.name, timers: realTimers, warn })
    opened.push(() => findings.close())
    const shadow = createShadow({ replica, findings, warn })
    const stopShadow = records.onDecision((decision) => shadow.take(decision))
    opened.push(() => {
      stopShadow()
      shadow.close()
    })

    const listening = await openLiveness(replica, { store: stores.leases, warn, settings: liveness, provider })
    opened.push(() => listening.watcher.close())

    const services = createServices({
      replica,
      history,
      outside: outside ?? nothingOutside,
      documents,
      solve,
      askSimulated: createAskSolver(simulatedSolver, realTimers),
      shadow,
      rollouts,
      findings,
      projector: {
        async reached(revision, timeoutMs) {
          database.assertThere()
          const both = await Promise.all([projector.reached(revision, timeoutMs), stores.records.caughtUp(timeoutMs)])
          return both.every((one) => one)
        },
      },
      degraded: () => degradedOf(database),
      log: createLogReader(store.past, horizon, projections),
      past: store.past,
      status,
      feed: createDecisionFeed({
        own: records,
        store: records.stores.decisions,
        hasOthers: () => registered.registry.hasOthers(),
        caughtUp: (timeoutMs) => stores.records.caughtUp(timeoutMs),
        timers: realTimers,
        warn,
      }),
      keys,
      audit,
      listening,
      plugins: loaded.loaded,
      settings,
      ...records.stores,
    })
    // If the replica continues at another revision, subscriptions are closed, so that their callers begin again with the durable state.
    const stopReplaced = replica.onReplaced(({ isHealed }) => {
      if (!isHealed) services.watch.close()
    })
    opened.push(() => stopReplaced())
    let warnings = new WarningCounter(replica.fleet)
    const countWarnings = (): Promise<ReadonlyMap<string, number>> => {
      if (warnings.fleet !== replica.fleet) warnings = new WarningCounter(replica.fleet)
      return runYielding(warnings.count())
    }
    const pauses = watchPauses()
    opened.push(() => pauses.close())
    // The admin key is created last, because a key that is created before a failed step would never be shown.
    const newAdminKey = await ensureAdminKey(keys, adminKey, whenReachable)
    server.open({
      keys,
      console: createConsole(consoleFolder()),
      documents: await readDocuments(consoleFolder()),
      graphql: createGraphql({
        schema: createSchema(),
        services,
        settled: () => replica.settled(),
        heartbeat: () => ({ revision: replica.fleet.place.revision, stateAgeMs: replica.age }),
        warn,
      }),
      metrics: async () =>
        metricsText({
          health: services.health.view(),
          auditor: services.replicas.auditor(),
          proposals: replica.tally,
          hosts: replica.fleet.hosts.presentCount,
          warnings: await countWarnings(),
          collectors: await runYielding(
            countCollectors({ now: Math.max(replica.fleet.now, replica.storeTime), hosts: replica.fleet.hosts }),
          ),
          aggregates: replica.fleet.aggregates.byUuid.size,
          claims: replica.fleet.ledger.claims.size,
          pause: pauses.take(),
        }),
      notReady: () => replica.halted?.message,
      endStreams: () => services.watch.close(),
    })
    opened.push(() => server.close())
    registered.setUrl(server.url)
    return { url: server.url, newAdminKey, replica, keys, watcher: listening.watcher, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Opens the parts that replicas share, and this replica. If a step fails, everything is closed again. */
async function openShared({
  engine,
  database,
  unlistedAfterMs,
  replica: options,
}: {
  readonly engine: EngineOptions
  readonly database: DatabaseWatch
  readonly unlistedAfterMs: number | undefined
  readonly replica: Pick<ReplicaOptions, 'name' | 'warn' | 'horizon' | 'gather' | 'plugins' | 'readsUpTo'>
}) {
  const { log: store, stores } = await openEngine(engine)
  let registered: Registered | undefined
  try {
    const { name, warn } = engine
    const records = openRecords(engine.prisma, stores.records, database)
    registered = await registerReplica({ store: stores.replicas, name, warn, readsUpTo: options.readsUpTo, unlistedAfterMs })
    const replica = await Replica.start({ store, recordUnlogged: records.keep, ...options, ...registered.options })
    return { store, stores, records, registered, replica }
  } catch (error) {
    // the first error is the cause; an error of closing an unavailable store is only a consequence
    for (const close of [registered?.close, stores.close, store.close]) await Promise.allSettled([close?.()])
    throw error
  }
}

async function openLiveness(
  replica: Replica,
  {
    store,
    warn,
    settings,
    provider,
  }: Pick<ServiceOptions, 'warn'> & {
    readonly store: LeaseStore
    readonly settings: ServiceOptions['liveness'] | undefined
    readonly provider: FoundProvider | undefined
  },
): Promise<Listening> {
  const { source: name, suspectAfterMs, downAfterMs } = settings ?? DEFAULT_LIVENESS
  const timeouts = { suspectAfterMs, downAfterMs }
  const breakMs = breakAfter(timeouts)
  const source =
    provider !== undefined
      ? await openProvidedLiveness({ store, breakMs, ...provider })
      : name === 'reports'
        ? createReportsLiveness({ leases: store, warn, breakMs })
        : createStaticLiveness(() => replica.storeTime)
  const everyMs = settings === undefined ? 0 : (settings.checkIntervalMs ?? checkIntervalOf(timeouts))
  return { source, timeouts, watcher: createLivenessWatcher({ replica, source, timeouts, everyMs, warn }) }
}

/** Returns the secret of the first admin key if this start generated it. A key that the operator set is added if it does not exist. */
async function ensureAdminKey(
  keys: ApiKeyStore,
  given: string | undefined,
  whenReachable: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<string | undefined> {
  if (given === undefined && keys.list().length > 0) return undefined
  // the same secret is sent each time, because it can be unknown whether an earlier call took effect
  const { secret } = drawSecret(given)
  if (keys.verify(secret) === undefined) await whenReachable(() => keys.create({ name: 'admin', account: ADMIN_ACCOUNT, scopes, secret }))
  return given === undefined ? secret : undefined
}
