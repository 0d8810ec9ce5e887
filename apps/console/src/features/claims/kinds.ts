/** The kinds of claims that operators look for. The count of a kind links to the list with the filter of the kind. */
export const kinds = {
  reserved: { label: 'Reserved', q: 'state:RESERVED', title: 'Claims that are not confirmed yet and expire automatically' },
  ending: { label: 'End within 30 s', q: 'state:RESERVED left<=30s', title: 'Reservations that are about to expire' },
  old: {
    label: 'Reserved 5 min or more',
    q: 'state:RESERVED age>=5m',
    title: 'Reserved for a long time without confirmation: the caller may leak claims',
  },
  held: { label: 'Confirmed', q: 'state:CONFIRMED', title: 'Claims that are confirmed, but not yet included in a report of the host' },
  counted: { label: 'Materialised', q: 'state:MATERIALISED', title: 'Claims that the report of the host already includes' },
  expired: {
    label: 'Expired within 1 h',
    q: 'state:EXPIRED ended<=1h',
    title: 'Reservations that ended within the last hour without being confirmed; older ones are not counted',
  },
} as const

export type Kind = keyof typeof kinds

/** The filter of each kind, as variables of the query that counts claims. */
export const kindQueries = Object.fromEntries(Object.entries(kinds).map(([name, { q }]) => [name, q])) as Readonly<Record<Kind, string>>
