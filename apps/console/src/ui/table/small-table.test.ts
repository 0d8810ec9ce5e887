import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type SmallColumn, SmallTable } from './small-table.tsx'

interface Host {
  readonly name: string
  readonly free: number
  readonly note?: string
}

const hosts: readonly Host[] = [
  { name: 'cmp-1', free: 12 },
  { name: 'cmp-2', free: 0, note: 'full' },
]

const columns: readonly SmallColumn<Host>[] = [
  { head: 'Host', isRowHead: true, className: 'mono', cell: ({ name }) => name },
  { head: 'Free', isNumber: true, className: 'narrow', cell: ({ free }) => free, title: ({ note }) => note },
  { head: '', cell: (_, index) => `row ${index}`, attributes: ({ free }) => ({ 'data-free': free }) },
]

type Props = Partial<Parameters<typeof SmallTable<Host>>[0]>

/** The rendered HTML without the library's own classes and styles. */
function drawn(props: Props = {}): string {
  const table = createElement(SmallTable<Host>, { label: 'Hosts', columns, rows: hosts, rowKey: ({ name }) => name, ...props })
  const html = renderToStaticMarkup(createElement(MantineProvider, {}, table))
  return html
    .replace(/<style[^>]*>.*?<\/style>/gs, '')
    .replace(/ style="--[^"]*"/g, '')
    .replace(/\b(m_[0-9a-f]+|mantine-[\w-]+)\b ?/g, '')
    .replace(/ data-with-row-border="true"/g, '')
    .replace(/ class="([^"]*)"/g, (_, classes: string) => (classes.trim() === '' ? '' : ` class="${classes.trim()}"`))
}

test('each row has a cell for each column, with the attributes of the row and the column, and headings have the classes of their cells', () => {
  const html = drawn({ rowAttributes: ({ name }) => ({ 'data-host': name }), attributes: { 'data-count': 2 } })
  expect(html).toContain('<table aria-label="Hosts" data-count="2">')
  expect(html).toContain('<thead><tr><th>Host</th><th class="number">Free</th><th></th></tr></thead>')
  expect(html).toContain(
    '<tr data-host="cmp-1"><th class="mono" scope="row">cmp-1</th><td class="number narrow">12</td><td data-free="12">row 0</td></tr>',
  )
  expect(html).toContain('<td class="number narrow" title="full">0</td><td data-free="0">row 1</td>')
})

test('the table is in a focusable box that scrolls, and with a limited height the rows scroll below the headings', () => {
  expect(drawn()).toMatch(/<section aria-label="Hosts" tabindex="0" style="overflow:auto"><table/)
  expect(drawn()).not.toContain('data-sticky')
  const limited = drawn({ maxHeight: '240px' })
  expect(limited).toMatch(/<section aria-label="Hosts" tabindex="0" style="overflow:auto;max-height:240px"><table/)
  expect(limited).toContain('<thead data-sticky="true">')
})

test('within a scrolling element the table has no box, but has its own name', () => {
  const html = drawn({ isBare: true })
  expect(html).not.toContain('<section')
  expect(html).toContain('<table aria-label="Hosts">')
})

test('without rows the table shows the text for empty tables or, if there is no such text, nothing', () => {
  expect(drawn({ rows: [], empty: 'No host fits the request.' })).toMatch(/^<p[^>]*>No host fits the request.<\/p>$/)
  expect(drawn({ rows: [] })).toBe('')
})
