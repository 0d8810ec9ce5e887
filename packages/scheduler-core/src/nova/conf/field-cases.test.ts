import { describe, expect, test } from 'vitest'
import { importNovaConf } from './import-conf.ts'
import { findRelease } from './releases.ts'

// Configuration files from practice. Each title has a case number and the source of the file.

const read = (text: string, release = 'zed') => {
  const outcome = importNovaConf(text, findRelease(release))
  if (!outcome.ok) return { faults: outcome.faults.map(({ line }) => line) }
  const { profile, isWhole, findings } = outcome.conf
  return {
    filters: profile.filters.map(({ name }) => name),
    isWhole,
    findings: findings.map(({ kind, line, subject, message }) => `${kind} ${line} ${subject} ${message}`),
    profile,
  }
}
const filterSection = (...lines: readonly string[]): string => ['[filter_scheduler]', ...lines, ''].join('\n')

describe('the list of enabled filters', () => {
  test('C01 kolla-ansible with blazar: a filter that is not part of Nova is reported as lost', () => {
    const { isWhole, findings, filters } = read(
      filterSection(
        'available_filters = nova.scheduler.filters.all_filters',
        'available_filters = blazarnova.scheduler.filters.blazar_filter.BlazarFilter',
        'enabled_filters = ComputeFilter,BlazarFilter',
      ),
    )
    expect([isWhole, filters]).toEqual([false, ['ComputeFilter']])
    expect(findings?.filter((text) => text.startsWith('lost')).join('\n')).toContain('BlazarFilter')
  })

  test('C07 OpenStack Cookbook, Havana: a list with AllHostsFilter alone gives a profile with that filter alone', () => {
    const text = '[DEFAULT]\nscheduler_driver=nova.scheduler.filter_scheduler.FilterScheduler\nscheduler_default_filters=AllHostsFilter\n'
    expect(read(text, 'icehouse').filters).toEqual(['AllHostsFilter'])
  })

  test.each([
    ['the filter by its full class path', 'nova.scheduler.filters.compute_filter.ComputeFilter'],
    ['a filter name in lower case', 'computefilter'],
    ['an unknown filter name', 'ComputeFilters'],
  ])('C15 mistakes seen in documents: %s in enabled_filters is reported as lost', (_what, name) => {
    const { isWhole, findings, filters } = read(filterSection(`enabled_filters = RamFilter,${name}`))
    expect([isWhole, filters]).toEqual([false, ['RamFilter']])
    expect(findings?.join('\n')).toContain(name)
  })

  test('C15: a filter that the list contains twice is in the profile once', () => {
    expect(read(filterSection('enabled_filters = ComputeFilter,ComputeFilter')).filters).toEqual(['ComputeFilter'])
  })

  test('C19 shape of a charm template: if a list is set under its old and its new name, the new name applies and the old one is reported', () => {
    const { filters, findings } = read(
      `[DEFAULT]\nscheduler_default_filters = RamFilter\n${filterSection('enabled_filters = ComputeFilter')}`,
      'ocata',
    )
    expect(filters).toEqual(['ComputeFilter'])
    expect(findings?.some((text) => text.includes('scheduler_default_filters'))).toBe(true)
  })

  test('C09 helm chart: options that only other releases read are reported as having no effect', () => {
    const { findings, isWhole } = read(filterSection('enabled_filters = ComputeFilter', 'use_baremetal_filters = false'))
    expect(isWhole).toBe(true)
    expect(findings?.filter((text) => text.includes('use_baremetal_filters'))).toHaveLength(1)
  })
})

describe('the syntax of a file', () => {
  test('C04 public runbook 52121019184: a comment after a number makes the value invalid, and its line is reported', () => {
    expect(read(filterSection('host_subset_size = 3 # spread them')).findings).toEqual([
      'refused 2 [filter_scheduler] host_subset_size is "3 # spread them"; it must be a whole number of 1 to 1000; left at Nova\'s default',
    ])
  })

  test('C12 kolla-ansible, openstack-helm: a template that was never rendered is refused, and its wrong lines are reported', () => {
    expect(read('{% if enable_x %}\n[filter_scheduler]\nenabled_filters = ComputeFilter\n{% endif %}\n').faults).toEqual([1, 4])
  })

  test('C13 files of Windows editors: a byte order mark and CRLF are read', () => {
    const text = `\uFEFF${filterSection('enabled_filters = ComputeFilter,RamFilter', 'host_subset_size = 3').replaceAll('\n', '\r\n')}`
    expect(read(text)).toMatchObject({ filters: ['ComputeFilter', 'RamFilter'], profile: { hostSubsetSize: 3 } })
  })
})

describe('an option that excludes hosts in Nova but has no equivalent here is reported as lost', () => {
  test.each<[text: string, release: string, expected: readonly string[]]>([
    ['[DEFAULT]\nallow_resize_to_same_host = False', 'zed', ['lost [DEFAULT] allow_resize_to_same_host']],
    ['[DEFAULT]\nallow_resize_to_same_host = true', 'zed', []],
    ['[DEFAULT]\nenable_new_services = False', 'kilo', ['lost [DEFAULT] enable_new_services']],
    ['[DEFAULT]\nscheduler_host_manager = acme.HostManager', 'kilo', ['lost [DEFAULT] scheduler_host_manager']],
    ['[DEFAULT]\nscheduler_host_manager = ironic_host_manager', 'mitaka', ['idle [DEFAULT] scheduler_host_manager']],
    ['[DEFAULT]\nscheduler_manager = acme.Manager', 'kilo', ['lost [DEFAULT] scheduler_manager']],
    [
      '[cells]\nenable = True\nscheduler_filter_classes = nova.cells.filters.target_cell.TargetCellFilter',
      'kilo',
      ['lost [cells] scheduler_filter_classes'],
    ],
    ['[cells]\nenable = True\nscheduler_weight_classes = acme.W', 'ocata', ['lost [cells] scheduler_weight_classes']],
    ['[cells]\nscheduler_filter_classes = acme.F', 'kilo', ['idle [cells] scheduler_filter_classes']],
    ['[cells]\nenable = True\nscheduler_filter_classes = acme.F', 'zed', ['idle [cells] scheduler_filter_classes']],
  ])('%s in %s', (text, release, expected) => {
    const { findings = [], isWhole } = read(`${text}\n`, release)
    expect(
      findings.map((finding) =>
        finding
          .split(' ')
          .filter((_, i) => i !== 1)
          .slice(0, 3)
          .join(' '),
      ),
    ).toEqual(expected)
    expect(isWhole).toBe(!expected.some((finding) => finding.startsWith('lost')))
  })

  test.each(['cpu', 'ram', 'disk'])(
    'initial_%s_allocation_ratio is reported as having no effect if the ratio for all hosts is also set',
    (of) => {
      const text = (ratio: string) => `[DEFAULT]\ninitial_${of}_allocation_ratio = 4\n${of}_allocation_ratio = ${ratio}\n`
      const findingsOf = (ratio: string) => read(text(ratio)).findings?.filter((finding) => finding.includes('initial_'))
      expect(findingsOf('2.0')).toEqual([
        `idle 2 [DEFAULT] initial_${of}_allocation_ratio is the ratio for new hosts, and has no effect because ${of}_allocation_ratio is set`,
      ])
      expect(findingsOf('0.0')).toEqual([])
    },
  )
})
