import { expect, test } from 'vitest'
import { coverPage, whenUncovered } from './over-page.ts'

test('a function that waits for the last dialog runs once, unless it was cancelled', () => {
  const ran: string[] = []
  whenUncovered(() => ran.push('before'))
  expect(ran).toEqual(['before'])
  coverPage(true)
  whenUncovered(() => ran.push('waited'))
  const callOff = whenUncovered(() => ran.push('called off'))
  callOff()
  expect(ran).toEqual(['before'])
  coverPage(false)
  coverPage(true)
  coverPage(false)
  expect(ran).toEqual(['before', 'waited'])
})
