import { Group, Menu } from '@mantine/core'
import { formatCount, formatMib } from '../lib/format.ts'
import { Age, TimeLeft } from '../ui/age.tsx'
import { AnchorLink } from '../ui/anchor-link.tsx'
import { ButtonLink } from '../ui/button-link.tsx'
import { ColourKey, DivergingBar, Share } from '../ui/chart/bars.tsx'
import { Figures } from '../ui/chart/figures.tsx'
import { Meter, PercentMeter } from '../ui/chart/meter.tsx'
import { CopyMenu } from '../ui/copy-as.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { PanelCall } from '../ui/dialog/panel-call.tsx'
import { WriteButton } from '../ui/dialog/write-button.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { Heading } from '../ui/heading.tsx'
import { Json } from '../ui/json.tsx'
import { MenuLink } from '../ui/menu-link.tsx'
import { ScrollBox } from '../ui/table/scroll-box.tsx'
import { SmallTable } from '../ui/table/small-table.tsx'
import { CALL, LONG, NOW, nothing, type Sample, samples } from './samples.ts'
import type { Story } from './story.ts'

const parts = [
  { key: 'RAMWeigher', from: 0, to: 0.8, colour: 0 },
  { key: 'CPUWeigher', from: 0.8, to: 1.1, colour: 1 },
  { key: 'IoOpsWeigher', from: -0.6, to: 0, colour: 2 },
]

const table = (label: string, rows: readonly Sample[], maxHeight?: string) => (
  <SmallTable
    label={label}
    maxHeight={maxHeight}
    empty="No host fits the request."
    rows={rows}
    rowKey={({ name }) => name}
    rowAttributes={({ name }) => ({ 'data-host': name })}
    columns={[
      { head: 'Host', isRowHead: true, className: 'mono', cell: ({ name }) => <AnchorLink to="/hosts">{name}</AnchorLink> },
      { head: 'Zone', className: 'narrow', cell: ({ zone }) => zone },
      { head: 'Free', isNumber: true, cell: ({ free }) => formatMib(free), title: ({ free }) => `${formatCount(free)} MiB` },
      { head: 'Used', className: 'g-meter-cell', cell: ({ free }) => <Meter parts={[{ share: 1 - free / 400_000, tone: 'used' }]} /> },
      { head: 'Why', className: 'rest', cell: () => LONG, title: () => LONG },
    ]}
  />
)

/** Texts, links, buttons, numbers and bars. */
export const smallParts: readonly Story[] = [
  {
    of: 'age',
    states: {
      never: <Age atMs={0} />,
      'just now': <Age atMs={NOW} />,
      'a while ago': <Age atMs={NOW - 3_723_000} ago />,
      'before its end': <TimeLeft untilMs={NOW + 90_000} />,
      'after its end': <TimeLeft untilMs={NOW - 1_000} />,
    },
  },
  {
    of: 'anchor-link',
    states: { usual: <AnchorLink to="/hosts">All hosts</AnchorLink>, long: <AnchorLink to="/hosts">{LONG}</AnchorLink> },
  },
  {
    of: 'bars',
    states: {
      'a share: none, some, all': (
        <Group>
          <Share share={0} />
          <Share share={0.4} />
          <Share share={1} />
        </Group>
      ),
      'positive and negative parts': <DivergingBar label="RAM 0.8, CPU 0.3, operations -0.6" parts={parts} extent={[-1, 2]} total={0.5} />,
      'no parts': <DivergingBar label="no weigher" parts={[]} extent={[-1, 1]} total={0} />,
      'the legend of eight colours': (
        <ColourKey label="Weighers" names={['RAM', 'CPU', 'Disk', 'IoOps', 'Soft affinity', 'PCI', 'Metrics', 'Build failures']} />
      ),
    },
  },
  { of: 'button-link', states: { usual: <ButtonLink to="/simulate">Try it</ButtonLink> } },
  {
    of: 'copy-as',
    states: {
      'without a call': <CopyMenu />,
      'with a link to its call': (
        <CopyMenu items={[['CSV', () => 'csv']]} files={[['CSV file', nothing]]} graphiql={{ query: '{ health }' }} />
      ),
    },
  },
  { of: 'copy-button', states: { usual: <CopyButton text="cmp-0412">Copy the name</CopyButton> } },
  {
    of: 'facts',
    states: {
      usual: (
        <Facts>
          <Fact term="Zone">az1</Fact>
          <Fact term="Aggregates">{LONG}</Fact>
        </Facts>
      ),
    },
  },
  {
    of: 'figures',
    states: {
      usual: (
        <Figures
          figures={[
            { label: 'Hosts', value: '10,000' },
            { label: 'Down', value: <AnchorLink to="/hosts">92</AnchorLink>, isBad: true, title: 'No heartbeat for a minute.' },
          ]}
        />
      ),
      none: <Figures figures={[]} />,
    },
  },
  {
    of: 'heading',
    states: {
      usual: <Heading>Claims</Heading>,
      'with its call': <Heading call={CALL}>Claims</Heading>,
      long: <Heading call={CALL}>{LONG}</Heading>,
    },
  },
  {
    of: 'json',
    states: { usual: <Json text={JSON.stringify({ host: 'cmp-0412', free: { VCPU: 12 } }, null, 2)} />, long: <Json text={LONG} /> },
  },
  {
    of: 'menu-link',
    states: {
      'in its menu': (
        <Menu opened withinPortal={false} position="bottom-start" trapFocus={false} returnFocus={false}>
          <Menu.Target>
            <button type="button">More</button>
          </Menu.Target>
          <Menu.Dropdown pos="relative" top="0" left="0">
            <MenuLink to="/settings">Settings</MenuLink>
          </Menu.Dropdown>
        </Menu>
      ),
    },
  },
  { of: 'panel-call', states: { usual: <PanelCall of="Claims" {...CALL} /> } },
  {
    of: 'meter',
    states: {
      empty: <Meter parts={[]} />,
      'used and claimed': (
        <Meter
          parts={[
            { share: 0.4, tone: 'used' },
            { share: 0.2, tone: 'claimed' },
          ]}
        />
      ),
      'more than 100 %': (
        <Meter
          parts={[
            { share: 0.8, tone: 'used' },
            { share: 0.5, tone: 'problem' },
          ]}
        />
      ),
      percent: <PercentMeter percent={71} />,
      'percent, over-committed': <PercentMeter percent={112} title="112 % of the total" />,
    },
  },
  {
    of: 'scroll-box',
    states: {
      'a text that is too long': (
        <ScrollBox label="A long text" maxHeight="3rem">
          <p>{LONG}</p>
          <p>{LONG}</p>
        </ScrollBox>
      ),
    },
  },
  {
    of: 'small-table',
    states: {
      usual: table('Three hosts', samples(3)),
      'a text that is too long': table('Twenty hosts', samples(20), '160px'),
      'no rows': table('No hosts', []),
    },
  },
  {
    of: 'write-button',
    states: {
      'enabled now, disabled with a reason in the past': <WriteButton>Release</WriteButton>,
      busy: <WriteButton loading>Release</WriteButton>,
    },
  },
]
