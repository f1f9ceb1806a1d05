package watch

import "golang.org/x/sys/unix"

// eventless returns errNetwork for folders on file systems without events about changes by other machines.
func eventless(folder string) error {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return nil
	}
	switch uint32(s.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC,
		unix.FUSE_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.NCP_SUPER_MAGIC:
		return errNetwork
	}
	return nil
}
