import { describe, expect, test } from 'vitest'
import { groupNames, kindsOf, momentOf, printGroups, readGroups } from './timeline.ts'

describe('what of a timeline is shown', () => {
  test('is everything where the address says nothing', () => {
    expect(readGroups(undefined)).toEqual(groupNames)
    expect([printGroups(groupNames), kindsOf(groupNames)]).toEqual([undefined, null])
  })

  test('is what the address names, in one order, whatever else it names', () => {
    expect(readGroups('tries,status,colour')).toEqual(['status', 'tries'])
    expect(printGroups(['tries', 'status'])).toBe('status,tries')
    expect(kindsOf(['status', 'tries'])).toEqual(['STATUS', 'TRY_LOST'])
  })

  test('may be nothing, and the address says so', () => {
    expect(readGroups(printGroups([]))).toEqual([])
    expect(kindsOf([])).toEqual([])
  })
})

describe('the moment of something that happened', () => {
  const log = { firstRevision: '100', firstAt: '2026-11-20T10:00:00.000Z' }

  test('is its entry, where the log still has it', () => {
    expect(momentOf({ revision: '100', at: '2026-11-20T10:00:00.000Z' }, log)).toBe('100')
    expect(momentOf({ revision: '99', at: '2026-11-20T09:00:00.000Z' }, log)).toBeUndefined()
  })

  test('is its time, where the entry is not known', () => {
    expect(momentOf({ revision: null, at: '2026-11-20T10:00:00.001Z' }, log)).toBe('2026-11-20T10:00:00.001Z')
    expect(momentOf({ revision: null, at: '2026-11-20T09:59:59.999Z' }, log)).toBeUndefined()
  })

  test('is none while it is not known how far the log goes back', () => {
    expect(momentOf({ revision: '100', at: '2026-11-20T10:00:00.000Z' }, undefined)).toBeUndefined()
  })
})
