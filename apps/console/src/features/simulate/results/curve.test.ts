import { expect, test } from 'vitest'
import { type Curve, classesOf, placedLine, pointAt, spacingOf, stepsOf, usedLine } from './curve.ts'

const usage = (vcpus: number, memory: number) => [
  { resourceClass: 'VCPU', capacity: 8, used: vcpus },
  { resourceClass: 'MEMORY_MB', capacity: 100, used: memory },
  { resourceClass: 'DISK_GB', capacity: 10, used: 9 },
]

const curve: Curve = [
  { asked: 0, placed: 0, usage: usage(0, 0) },
  { asked: 2, placed: 2, usage: usage(2, 80) },
  { asked: 5, placed: 2, usage: usage(2, 80) },
]

test('lines go through the points of a curve', () => {
  expect(placedLine(curve)).toEqual([
    { x: 0, y: 0 },
    { x: 2, y: 2 },
    { x: 5, y: 2 },
  ])
  expect(usedLine(curve, 'VCPU').map(({ y }) => y)).toEqual([0, 25, 25])
  expect(usedLine(curve, 'GPU')).toEqual([])
})

test('the classes whose usage changes can be drawn, the class with the highest usage first, or all classes if no usage changes', () => {
  expect(classesOf([curve])).toEqual(['MEMORY_MB', 'VCPU'])
  expect(classesOf([curve.slice(0, 1)])).toEqual(['DISK_GB', 'VCPU', 'MEMORY_MB'])
  expect(classesOf([])).toEqual([])
})

test.each([
  [0, 0],
  [1, 0],
  [2, 2],
  [4, 2],
  [5, 5],
  [9, 5],
])('the value at %i requested instances is that of the point at %i', (asked, at) => expect(pointAt(curve, asked)?.asked).toBe(at))

test('the largest distance between the points of a curve is found, and all counts of instances at which any curve has a point', () => {
  expect(spacingOf(curve)).toBe(3)
  expect(spacingOf([])).toBe(0)
  expect(stepsOf([curve, [{ asked: 3, placed: 0, usage: [] }]])).toEqual([0, 2, 3, 5])
})
