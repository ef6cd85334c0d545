/*
 * Description: the program that proc-exec and proc-sh execute: it does nothing, successfully.
 */
int main(void)
{
	return 0;
}
