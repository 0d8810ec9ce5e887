/**
 * Extra specs from which Nova makes a guest's hardware, or that configure how it runs (nova/api/validation/extra_specs/hw.py); some end
 * with a number.
 */
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

/** Whether Nova reads an extra spec when it makes the request out of a flavor. */
export const isHardwareSpec = (key: string): boolean =>
  key === 'pci_passthrough:alias' ||
  key === 'accel:device_profile' ||
  /^hw:numa_(?:cpus|mem)\.\d+$/.test(key) ||
  (key.startsWith('hw:') && NAMES.has(key.slice('hw:'.length)))
