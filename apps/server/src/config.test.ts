import { FEATURE_LEVEL } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

test('a variable that is not set has its default', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 4400,
    dataDir: undefined,
    databaseUrl: undefined,
    adminKey: undefined,
    horizon: { days: 7, bytes: 10_737_418_240 },
    liveness: { source: 'static', suspectAfterMs: 60_000, downAfterMs: 180_000 },
    unlistedAfterMs: 3_600_000,
    featureLevel: FEATURE_LEVEL,
    nats: undefined,
    recordBytes: 268_435_456,
    sharedFlush: 'auto',
    plugins: [],
    pluginTimeoutMs: 200,
    extenders: undefined,
  })
})

test('a variable that is set is used', () => {
  const environment = {
    PORT: '0',
    HOST: '::1',
    GANTT_DATA_DIR: '/d',
    DATABASE_URL: 'postgres://h/d',
    GANTT_ADMIN_KEY: 'sixteen-or-more-characters',
    GANTT_LOG_DAYS: '90',
    GANTT_LOG_BYTES: '5000000',
    GANTT_PLUGIN_TIMEOUT_MS: '300',
    GANTT_EXTENDERS: '/etc/extenders.json',
  }
  expect(readConfig(environment)).toMatchObject({
    host: '::1',
    port: 0,
    dataDir: '/d',
    databaseUrl: 'postgres://h/d',
    horizon: { days: 90, bytes: 5_000_000 },
    pluginTimeoutMs: 300,
    extenders: '/etc/extenders.json',
  })
})

test('a replica can be limited to a lower feature level that its release supports', () => {
  expect(readConfig({ GANTT_FEATURE_LEVEL: '5' }).featureLevel).toBe(5)
  for (const wrong of ['0', String(FEATURE_LEVEL + 1), 'v5'])
    expect(() => readConfig({ GANTT_FEATURE_LEVEL: wrong })).toThrow(
      `GANTT_FEATURE_LEVEL is "${wrong}"; it must be a feature level that this release reads, 1 to ${FEATURE_LEVEL}.`,
    )
})

test('the setting for how entries reach the disk accepts auto, on and off', () => {
  expect(readConfig({ GANTT_SHARED_FLUSH: 'on' }).sharedFlush).toBe('on')
  expect(() => readConfig({ GANTT_SHARED_FLUSH: 'yes' })).toThrow('GANTT_SHARED_FLUSH is "yes"; it must be auto, on or off')
})

test('the log can be in PostgreSQL or in a NATS cluster, whose URL is never shown', () => {
  expect(readConfig({ GANTT_SYNC: 'postgres' }).nats).toBeUndefined()
  expect(readConfig({ GANTT_SYNC: 'nats://gantt:p%40ss@a:4222,b/west' }).nats).toMatchObject({
    servers: ['a:4222', 'b:4222'],
    user: 'gantt',
    password: 'p@ss',
    fleet: 'west',
  })
  const wrong = (() => {
    try {
      readConfig({ GANTT_SYNC: 'nats://gantt:secret@a:99999' })
    } catch (error) {
      return String(error)
    }
  })()
  expect(wrong).toContain('GANTT_SYNC must be postgres, or nats://server:4222')
  expect(wrong).not.toContain('secret')
})

test('liveness can be determined by reports, with timeouts that must be consistent', () => {
  expect(readConfig({ GANTT_LIVENESS: 'reports', GANTT_SUSPECT_AFTER: '100' }).liveness).toEqual({
    source: 'reports',
    suspectAfterMs: 100_000,
    downAfterMs: 300_000,
  })
  expect(() => readConfig({ GANTT_LIVENESS: 'guess' })).toThrow('GANTT_LIVENESS is "guess"; it must be one of static, reports')
  expect(() => readConfig({ GANTT_LIVENESS: 'Guess', GANTT_PLUGINS: './p' })).toThrow('or a lease provider of a plug-in')
  expect(readConfig({ GANTT_LIVENESS: 'guess', GANTT_PLUGINS: './p' }).liveness.source).toBe('guess')
  expect(() => readConfig({ GANTT_SUSPECT_AFTER: '0' })).toThrow('GANTT_SUSPECT_AFTER is "0"; it must be whole seconds')
  expect(() => readConfig({ GANTT_DOWN_AFTER: '60' })).toThrow('GANTT_DOWN_AFTER is "60"; it must be more than GANTT_SUSPECT_AFTER (60)')
})

test('one error lists all invalid settings by name, without secrets', () => {
  const wrong = {
    PORT: '70000',
    HOST: 'a b',
    DATABASE_URL: 'mysql://user:secret@h',
    GANTT_ADMIN_KEY: 'short',
    GANTT_LOG_DAYS: '0',
    GANTT_LOG_BYTES: '1 GB',
  }
  const error = (() => {
    try {
      return readConfig(wrong)
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toBeInstanceOf(ConfigError)
  expect((error as ConfigError).problems.map((problem) => problem.split(' ')[0])).toEqual([
    'PORT',
    'HOST',
    'DATABASE_URL',
    'GANTT_ADMIN_KEY',
    'GANTT_LOG_DAYS',
    'GANTT_LOG_BYTES',
  ])
  expect(String(error)).toContain('PORT is "70000"; it must be a port')
  expect(String(error)).not.toMatch(/secret|short/)
})
