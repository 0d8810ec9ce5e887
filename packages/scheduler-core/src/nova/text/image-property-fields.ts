import { quote } from '../../text/problem.ts'
import { booleanOf } from './boolean-text.ts'
import { architectureName, hypervisorTypeName, vmModeName } from './names.ts'
import { NovaError } from './nova-error.ts'
import { pythonInt } from './numbers.ts'
import { PythonFloat, type PythonValue } from './python-json.ts'
import { pythonText } from './python-text.ts'
import { parseVersionPredicate } from './versions.ts'

/** Converts the value of an image property to the type of the field in Nova's object. Throws ValueError if the type does not allow it. */
export type Coerce = (value: PythonValue) => PythonValue

/** Nova's image properties (ImageMetaProps 1.34), each with the function that converts its value. */
export const imagePropertyFields: ReadonlyMap<string, Coerce> = new Map([
  ...fields('hw_boot_menu hw_ipxe_boot hw_locked_memory hw_mem_encryption hw_pmu hw_qemu_guest_agent hw_time_hpet', booleanOf),
  ...fields('hw_vif_multiqueue_enabled hw_ephemeral_encryption img_bittorrent img_bdm_v2 img_cache_in_nova img_linked_clone', booleanOf),
  ...fields('img_use_agent img_hide_hypervisor_id os_require_quiesce', booleanOf),
  ...fields('os_skip_agent_inject_files_at_boot os_skip_agent_inject_ssh', booleanOf),
  ...fields('hw_cpu_cores hw_cpu_sockets hw_cpu_threads hw_cpu_max_cores hw_cpu_max_sockets hw_cpu_max_threads', integer),
  ...fields('hw_device_id hw_numa_nodes hw_serial_port_count hw_video_ram img_compression_level img_version', integer),
  ...fields('hw_auto_disk_config hw_cpu_realtime_mask hw_disk_type hw_machine_type hw_mem_page_size img_owner_id', text),
  ...fields('img_root_device_name img_signature img_signature_certificate_uuid os_admin_user os_command_line os_distro', text),
  ...fields('hw_architecture hw_emulation_architecture', named(architectureName)),
  ...fields('img_hv_type', named(hypervisorTypeName)),
  ...fields('hw_vm_mode', named(vmModeName)),
  ...fields('hw_cdrom_bus hw_disk_bus hw_floppy_bus hw_rescue_bus', oneOf('fdc ide sata scsi usb virtio xen lxc uml')),
  ...fields('hw_cpu_policy', oneOf('dedicated shared mixed')),
  ...fields('hw_cpu_thread_policy', oneOf('prefer isolate require')),
  ...fields('hw_firmware_type', oneOf('uefi bios')),
  ...fields('hw_input_bus', oneOf('usb virtio')),
  ...fields('hw_pci_numa_affinity_policy', oneOf('required legacy preferred socket')),
  ...fields('hw_pointer_model', oneOf('usbtablet')),
  ...fields('hw_rescue_device', oneOf('cdrom disk floppy fs lun')),
  ...fields('hw_rng_model', oneOf('virtio')),
  ...fields(
    'hw_scsi_model',
    lowerOneOf('buslogic ibmvscsi lsilogic lsisas1068 lsisas1078 virtio-scsi vmpvscsi', {
      lsilogicsas: 'lsisas1068',
      paravirtual: 'vmpvscsi',
    }),
  ),
  ...fields('hw_video_model', oneOf('cirrus qxl vga vmvga xen virtio gop none bochs')),
  ...fields(
    'hw_vif_model',
    lowerOneOf('virtio ne2k_pci pcnet rtl8139 e1000 e1000e netfront spapr-vlan lan9118 sriov vmxnet vmxnet3', {
      virtuale1000: 'e1000',
      virtuale1000e: 'e1000e',
      virtualpcnet32: 'pcnet',
      virtualsriovethernetcard: 'sriov',
      virtualvmxnet: 'vmxnet',
      virtualvmxnet3: 'vmxnet3',
    }),
  ),
  ...fields('hw_viommu_model', oneOf('intel smmuv3 virtio auto')),
  ...fields('hw_watchdog_action', oneOf('none pause poweroff reset disabled')),
  ...fields('hw_tpm_model', oneOf('tpm-tis tpm-crb')),
  ...fields('hw_tpm_version', oneOf('1.2 2.0')),
  ...fields('hw_ephemeral_encryption_format', oneOf('plain luks luksv2')),
  ...fields('img_config_drive', oneOf('optional mandatory')),
  ...fields('img_hv_requested_version', versionPredicate),
  ...fields('img_signature_hash_method', oneOf('SHA-224 SHA-256 SHA-384 SHA-512')),
  ...fields(
    'img_signature_key_type',
    oneOf('DSA ECC_SECP384R1 ECC_SECP521R1 ECC_SECT409K1 ECC_SECT409R1 ECC_SECT571K1 ECC_SECT571R1 RSA-PSS'),
  ),
  ...fields('os_secure_boot', oneOf('required disabled optional')),
  ...fields('os_type', lowerOneOf('linux windows', {})),
  // The values of these properties are lists. Their items are not converted.
  ...fields('hw_numa_cpus hw_numa_mem img_block_device_mapping img_mappings traits_required', list),
])

function fields(names: string, coerce: Coerce): readonly (readonly [string, Coerce])[] {
  return names.split(' ').map((name) => [name, coerce] as const)
}

function integer(value: PythonValue): PythonValue {
  if (typeof value === 'string') return pythonInt(value)
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof PythonFloat && Number.isFinite(value.value)) return Math.trunc(value.value)
  throw new NovaError('ValueError', `${pythonText(value)} is not a whole number`)
}

function text(value: PythonValue): PythonValue {
  if (value === null || (typeof value === 'object' && !(value instanceof PythonFloat)))
    throw new NovaError('ValueError', `${pythonText(value)} is not a text`)
  return pythonText(value)
}

function list(value: PythonValue): PythonValue {
  if (!Array.isArray(value)) throw new NovaError('ValueError', `${pythonText(value)} is not a list`)
  return value
}

function named(canonicalName: (name: string) => string): Coerce {
  return (value) => {
    try {
      return canonicalName(pythonText(text(value)))
    } catch (error) {
      throw error instanceof NovaError ? new NovaError('ValueError', error.message) : error
    }
  }
}

function oneOf(names: string): Coerce {
  const known = new Set(names.split(' '))
  return (value) => {
    const name = pythonText(text(value))
    if (!known.has(name)) throw new NovaError('ValueError', `${quote(name)} is none of ${[...known].join(', ')}`)
    return name
  }
}

function lowerOneOf(names: string, aliases: Readonly<Record<string, string>>): Coerce {
  const check = oneOf(names)
  return (value) => {
    const lower = pythonText(text(value)).toLowerCase()
    return check(Object.hasOwn(aliases, lower) ? (aliases[lower] as string) : lower)
  }
}

function versionPredicate(value: PythonValue): PythonValue {
  parseVersionPredicate(pythonText(value))
  return value
}
