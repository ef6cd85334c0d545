/*
 * Description: the marker, an 8-byte no-op that the profile plugin recognises when QEMU translates it.
 *
 * nopl disp32(%rax,%rax,1) touches nothing, so a processor that does not know about it loses nothing by it.
 * The displacement carries the meaning in its first byte and a signature in the other three.
 */
#ifndef KDELTA_MARKER_H
#define KDELTA_MARKER_H

#define MARK_BEGIN	1	/* a timed loop starts: count from zero */
#define MARK_END	2	/* it ends: write the counts out */
#define MARK_PROGRAM	3	/* the guest's init is about to start the next program of its list */

#define MARK_BYTES(id)	0x0f, 0x1f, 0x84, 0x00, (id), 0xbe, 0xef, 0x5a
#define MARK_TEXT_(...)	#__VA_ARGS__
#define MARK_TEXT(...)	MARK_TEXT_(__VA_ARGS__)
#define MARK(id)	__asm__ volatile(".byte " MARK_TEXT(MARK_BYTES(id)) ::: "memory")

#endif
