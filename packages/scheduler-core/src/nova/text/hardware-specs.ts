/** Extra specs that define the hardware of a guest (nova/api/validation/extra_specs/hw.py). The names are without the prefix `hw:`. */
const NAMES = new Set([
  ...['boot_menu', 'cpu_cores', 'cpu_dedicated_mask', 'cpu_max_cores', 'cpu_max_sockets', 'cpu_max_threads', 'cpu_policy', 'cpu_realtime'],
  ...['cpu_realtime_mask', 'cpu_sockets', 'cpu_thread_policy', 'cpu_threads', 'emulator_threads_policy', 'ephemeral_encryption'],
  ...['ephemeral_encryption_format', 'ephemeral_encryption_secret_uuid', 'hide_hypervisor_id', 'input_bus', 'locked_memory'],
  ...['maxphysaddr_bits', 'maxphysaddr_mode', 'mem_encryption', 'mem_encryption_model', 'mem_page_size', 'numa_nodes'],
  ...[
    'pci_numa_affinity_policy',
    'pmem',
    'pmu',
    'redirected_usb_ports',
    'serial_port_count',
    'sound_model',
    'tpm_model',
    'tpm_secret_security',
  ],
  ...['tpm_version', 'usb_model', 'vif_multiqueue_enabled', 'viommu_model', 'virtio_packed_ring', 'watchdog_action'],
])

/**
 * Features of a guest that Nova's scheduler itself converts to traits and resource classes (ResourceRequest, request_filter.py). No other
 * field of a request contains the result, and this service does not convert them. The names are without the prefix `hw:` or `hw_`.
 */
const OF_SCHEDULER = new Set([
  ...['ephemeral_encryption', 'ephemeral_encryption_format', 'maxphysaddr_bits', 'maxphysaddr_mode', 'mem_encryption'],
  ...['mem_encryption_model', 'pmem', 'sound_model', 'tpm_model', 'tpm_secret_security', 'tpm_version', 'virtio_packed_ring'],
  // whether the memory can be encrypted and the firmware be stateless depends on the type of the firmware
  'firmware_type',
])

/** Returns true if Nova reads the extra spec before it calls the scheduler. */
export const isHardwareSpec = (key: string): boolean =>
  key === 'pci_passthrough:alias' ||
  key === 'accel:device_profile' ||
  /^hw:numa_(?:cpus|mem)\.\d+$/.test(key) ||
  (key.startsWith('hw:') && NAMES.has(key.slice('hw:'.length)) && !OF_SCHEDULER.has(key.slice('hw:'.length)))

/** Returns true if Nova's scheduler converts the image property to traits or resource classes. */
export const isConvertedByScheduler = (property: string): boolean =>
  property.startsWith('hw_') && OF_SCHEDULER.has(property.slice('hw_'.length))
