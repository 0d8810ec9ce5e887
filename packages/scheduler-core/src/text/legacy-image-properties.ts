/** Nova's present names of image properties, by their older names. */
export const legacyNames: Readonly<Record<string, string>> = {
  architecture: 'hw_architecture',
  owner_id: 'img_owner_id',
  vmware_disktype: 'hw_disk_type',
  vmware_image_version: 'img_version',
  vmware_ostype: 'os_distro',
  auto_disk_config: 'hw_auto_disk_config',
  ipxe_boot: 'hw_ipxe_boot',
  xenapi_device_id: 'hw_device_id',
  xenapi_image_compression_level: 'img_compression_level',
  vmware_linked_clone: 'img_linked_clone',
  xenapi_use_agent: 'img_use_agent',
  xenapi_skip_agent_inject_ssh: 'os_skip_agent_inject_ssh',
  xenapi_skip_agent_inject_files_at_boot: 'os_skip_agent_inject_files_at_boot',
  cache_in_nova: 'img_cache_in_nova',
  vm_mode: 'hw_vm_mode',
  bittorrent: 'img_bittorrent',
  mappings: 'img_mappings',
  block_device_mapping: 'img_block_device_mapping',
  bdm_v2: 'img_bdm_v2',
  root_device_name: 'img_root_device_name',
  hypervisor_version_requires: 'img_hv_requested_version',
  hypervisor_type: 'img_hv_type',
}

/** The disk adapter in images for VMware. Nova derives the disk bus and the SCSI model from this property. */
const ADAPTER = 'vmware_adaptertype'

/** Finds the keys of an image's properties from which Nova reads a property: its name, the numbered names of its parts, and older names. */
export const keysOfProperty = (properties: Readonly<Record<string, unknown>>, name: string): readonly string[] =>
  Object.keys(properties).filter(
    (key) =>
      key === name ||
      (key.startsWith(`${name}.`) && /^\d+$/.test(key.slice(name.length + 1))) ||
      (Object.hasOwn(legacyNames, key) && legacyNames[key] === name) ||
      (key === ADAPTER && (name === 'hw_disk_bus' || name === 'hw_scsi_model')),
  )
