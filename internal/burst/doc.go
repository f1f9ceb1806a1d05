// Package burst makes one picture of several shots of one scene. The shots are laid over one of them, the reference,
// and their mean is taken frequency by frequency: what differs from the reference by more than the noise does not take
// part. So what moves stays where it was in the reference.
package burst
