// The member of an archive that would have none: Apple's libtool does not write
// such archives. Nothing refers to the symbol.
extern "C" const char tfcarve_placeholder;
const char tfcarve_placeholder = 0;
