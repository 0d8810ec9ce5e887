import { fieldsOf } from '../../report/versioned-object.ts'
import { propertiesReadAs } from '../text/image-properties.ts'

/**
 * The known keys of an object, each with the known keys of its value. Null means that the keys of the value are not checked. For a list,
 * the keys apply to each item. If a value can be an object or a list, the keys of the list's items are under `LIST`.
 */
interface Known {
  readonly [key: string]: Known | null
}

const LIST = '[]'

const keys = (...names: readonly string[]): Known =>
  Object.fromEntries(names.flatMap((name) => name.split(' ')).map((name) => [name, null]))

const RECORD = keys('created_at updated_at deleted_at deleted')

const TOPOLOGY: Known = {
  ...keys('id instance_uuid emulator_threads_policy'),
  ...RECORD,
  cells: {
    ...keys('id cpuset pcpuset cpuset_reserved memory pagesize cpu_topology cpu_pinning cpu_pinning_raw cpu_policy cpu_thread_policy'),
    ...RECORD,
  },
}

const DEVICE: Known = { ...keys('count spec alias_name is_new request_id requester_id numa_policy'), ...RECORD }
/** Device requests: an object that contains the list, or the list alone. */
const DEVICES: Known = { ...keys('instance_uuid'), ...RECORD, requests: DEVICE, [LIST]: DEVICE }

const NETWORK = keys('network_id address port_id pci_request_id profile device_profile arq_uuid tag')

/** The known keys of those fields of a RequestSpec for which `readNovaRequest` does not report unknown keys. */
const SPEC: Known = {
  numa_topology: TOPOLOGY,
  pci_requests: DEVICES,
  network_metadata: keys('physnets tunneled'),
  requested_networks: { objects: NETWORK, [LIST]: NETWORK },
}

const FLAVOR: Known = {
  ...keys('id name flavorid vcpus memory_mb root_gb ephemeral_gb swap extra_specs rxtx_factor vcpu_weight disabled is_public'),
  ...keys('description projects'),
  ...RECORD,
}

/** The keys of an image in the image service. */
const IMAGE: Known = {
  ...keys('id name status visibility protected checksum owner size virtual_size container_format disk_format min_ram min_disk is_public'),
  ...keys('direct_url locations tags members file self schema base_image_ref os_hidden os_hash_algo os_hash_value stores properties'),
  ...RECORD,
}

/** The keys of an instance: the columns of Nova's table of instances, and the related objects that Nova loads with a row. */
const INSTANCE: Known = {
  ...keys('id uuid name user_id project_id image_ref kernel_id ramdisk_id hostname launch_index key_name key_data power_state vm_state'),
  ...keys('task_state memory_mb vcpus root_gb ephemeral_gb ephemeral_key_uuid host node instance_type_id instance_type user_data'),
  ...keys('reservation_id scheduled_at launched_at terminated_at availability_zone display_name display_description launched_on locked'),
  ...keys('locked_by os_type architecture vm_mode root_device_name default_ephemeral_device default_swap_device config_drive access_ip_v4'),
  ...keys('access_ip_v6 auto_disk_config progress shutdown_terminate disable_terminate cell_name metadata system_metadata info_cache'),
  ...keys('security_groups fault cleaned pci_devices tags flavor old_flavor new_flavor vcpu_model ec2_ids migration_context keypairs'),
  ...keys('device_metadata trusted_certs services hidden resources compute_id extra block_device_mapping'),
  ...RECORD,
  numa_topology: TOPOLOGY,
  pci_requests: DEVICES,
}

/**
 * The known keys of the two dictionaries: keys that Nova's rules read, and keys that Nova's scheduler wrote for its own use or for the
 * compute host.
 */
const DICTIONARIES: Known = {
  request_spec: {
    ...keys('num_instances instance_uuids block_device_mapping security_group'),
    image: IMAGE,
    instance_properties: INSTANCE,
    instance_type: FLAVOR,
  },
  filter_properties: {
    ...keys('scheduler_hints ignore_hosts force_hosts force_nodes group_updated group_uuid group_hosts group_policies group_members'),
    ...keys('context config_options request_spec project_id os_type'),
    instance_type: FLAVOR,
    pci_requests: DEVICES,
    retry: keys('num_attempts hosts exc exc_reason'),
    limits: keys('vcpu memory_mb disk_gb numa_topology'),
  },
}

/** Paths of fields in the two dictionaries that have no effect, because they are unknown. */
export function unknownInDictionaries(given: unknown): readonly string[] {
  const { properties } = fieldsOf(fieldsOf(fieldsOf(given).request_spec).image)
  const raw = fieldsOf(properties)
  const unread = Object.keys(raw).filter((key) => raw[key] !== null && propertiesReadAs(raw, key).length === 0)
  return [...unknownIn(given, DICTIONARIES, []), ...unread.map((key) => `request_spec.image.properties.${key}`)]
}

/** Paths of nested fields in a RequestSpec that have no effect, because they are unknown. */
export function unknownInSpec(spec: unknown): readonly string[] {
  const fields = fieldsOf(spec)
  const rules = Object.keys(fieldsOf(fieldsOf(fields.instance_group)._rules)).filter((rule) => rule !== 'max_server_per_host')
  return [...rules.map((rule) => `spec.instance_group._rules.${rule}`), ...nestedIn(fields)]
}

const nestedIn = (fields: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(SPEC).flatMap(([field, known]) => (known === null ? [] : unknownIn(fields[field], known, ['spec', field])))

function unknownIn(value: unknown, known: Known, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown, i) => unknownIn(one, known[LIST] ?? known, [...path, String(i)]))
  return Object.entries(fieldsOf(value)).flatMap(([key, inner]) => {
    if (!Object.hasOwn(known, key)) return [[...path, key].join('.')]
    const below = known[key] ?? null
    return below === null ? [] : unknownIn(inner, below, [...path, key])
  })
}
