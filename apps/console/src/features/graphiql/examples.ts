/** An example call. */
export interface Example {
  readonly label: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** Short versions of calls of the pages, in the order of the pages. A test validates them against the schema. */
export const examples: readonly Example[] = [
  {
    label: 'Overview: how full each zone is',
    query: `query Overview {
  fleet {
    totals {
      key
      hosts
      usage { resourceClass capacity used claimed free }
    }
  }
}`,
  },
  {
    label: 'Hosts: free capacity',
    query: `query Hosts($query: String!) {
  hosts(first: 20, query: $query) {
    totalCount
    nodes {
      name availabilityZone state status
      capacity { resourceClass free }
    }
  }
}`,
    variables: { query: 'state:UP status:ENABLED mem.free>=16GiB' },
  },
  {
    label: 'Hosts: follow changes',
    query: `subscription HostChanged {
  hostChanged {
    revision
    host { name state status }
  }
}`,
  },
  {
    label: 'Decisions: requests that found no host',
    query: `query Decisions($query: String!) {
  decisions(first: 20, query: $query) {
    nodes {
      id at outcome account
      spec { flavorName vcpus memoryMb }
      reasons { code hosts text }
    }
  }
}`,
    variables: { query: 'outcome:NO_VALID_HOST last:1h' },
  },
  {
    label: 'A decision: why it did not choose a host',
    query: `query WhyNot($decision: ID!, $host: String!) {
  whyNot(input: { subject: { decisionId: $decision }, host: { host: $host } }) {
    headline
    verdict { checks { filter status text } }
  }
}`,
    variables: { decision: '', host: '' },
  },
  {
    label: 'Aggregates: members and metadata',
    query: `query Aggregates {
  aggregates(first: 20) {
    totalCount
    nodes { uuid name availabilityZone version hostNames metadata { key value } }
  }
}`,
  },
  {
    label: 'Claims: reserved for a long time',
    query: `query Claims($query: String!) {
  claims(first: 20, query: $query) {
    totalCount
    nodes { id state instanceUuid createdAt expiresAt account host { name } }
  }
}`,
    variables: { query: 'state:RESERVED age>=5m' },
  },
  {
    label: 'Profiles: which version decides',
    query: `query Profiles {
  profiles {
    name
    active { number note filters { name } weighers { name multiplier } }
  }
}`,
  },
  {
    label: 'Replicas: status and lag',
    query: `query Replicas {
  health { mode revision violations }
  replicas { id live revision lagEvents }
}`,
  },
  {
    label: 'Audit: the last calls',
    query: `query Audit($query: String!) {
  auditLog(first: 20, query: $query) {
    nodes { at account mutation target result }
  }
}`,
    variables: { query: 'last:1d' },
  },
  {
    label: 'Keys: accounts and scopes',
    query: `query Keys {
  viewer { scopes }
  apiKeys(first: 20) { nodes { name account scopes lastUsedAt expiresAt } }
}`,
  },
]
