import { describe, expect, test } from 'vitest'
import { groupNames, kindsOf, momentOf, printGroups, readGroups } from './timeline.ts'

describe('the selection of shown kinds', () => {
  test('all kinds of events are shown if the URL has no selection', () => {
    expect(readGroups(undefined)).toEqual(groupNames)
    expect([printGroups(groupNames), kindsOf(groupNames)]).toEqual([undefined, null])
  })

  test('the kinds in the URL are shown in a fixed order, and unknown kinds are dropped', () => {
    expect(readGroups('tries,status,colour')).toEqual(['status', 'tries'])
    expect(printGroups(['tries', 'status'])).toBe('status,tries')
    expect(kindsOf(['status', 'tries'])).toEqual(['STATUS', 'TRY_LOST'])
  })

  test('an empty selection of kinds in the URL is read back as empty', () => {
    expect(readGroups(printGroups([]))).toEqual([])
    expect(kindsOf([])).toEqual([])
  })
})

describe('the moment of an event', () => {
  const log = { firstRevision: '100', firstAt: '2026-11-20T10:00:00.000Z' }

  test('the moment of an event is the revision of its entry, if the log still has the entry', () => {
    expect(momentOf({ revision: '100', at: '2026-11-20T10:00:00.000Z' }, log)).toBe('100')
    expect(momentOf({ revision: '99', at: '2026-11-20T09:00:00.000Z' }, log)).toBeUndefined()
  })

  test('the moment of an event is its time, if its entry is not known', () => {
    expect(momentOf({ revision: null, at: '2026-11-20T10:00:00.001Z' }, log)).toBe('2026-11-20T10:00:00.001Z')
    expect(momentOf({ revision: null, at: '2026-11-20T09:59:59.999Z' }, log)).toBeUndefined()
  })

  test('an event has no moment while the beginning of the log is unknown', () => {
    expect(momentOf({ revision: '100', at: '2026-11-20T10:00:00.000Z' }, undefined)).toBeUndefined()
  })
})
